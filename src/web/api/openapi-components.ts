import type { TSchema } from 'typebox';
import { accountShape } from './account.ts';
import { analyticsShape } from './analytics.ts';
import { designBody, designShape, logoShape } from './design-shapes.ts';
import { bulkBody, bulkRow, bulkShape } from './bulk.ts';
import { bulkChangedRow, bulkChangesBody, bulkChangesShape, bulkDeletionBody } from './bulk-changes.ts';
import { errorShape } from './error-responses.ts';
import { filesBody, labelsBody } from './prints.ts';
import { pageLogoShape } from './page-logos.ts';
import { endingBody, endingShape } from './qr-code-ending.ts';
import { fileShape } from './qr-code-file.ts';
import { pageBody, pageShape } from './qr-code-page.ts';
import { photoShape } from './qr-code-photo.ts';
import { createBody, createdShape, patchBody, readShape } from './qr-code-shapes.ts';
import { scanShape } from './scans.ts';
import { applicationBody, applicationShape, styleBody, styleChanges, styleShape } from './style-shapes.ts';
import { replayBody, replayShape } from './webhook-deliveries.ts';
import { eventComponents } from './webhook-events.ts';
import {
  deliveryDetail,
  deliveryShape,
  endpointBody,
  endpointChanges,
  endpointShape,
  endpointWithSecret,
} from './webhook-shapes.ts';

/** Responses, by the names that they have in the document. */
export const schemas: Record<string, TSchema> = {
  QrCode: readShape,
  CreatedQrCode: createdShape,
  Design: designShape,
  Logo: logoShape,
  QrCodeEnding: endingShape,
  QrCodePage: pageShape,
  QrCodePageLogo: pageLogoShape,
  QrCodeFile: fileShape,
  QrCodePhoto: photoShape,
  BulkResult: bulkShape,
  BulkRow: bulkRow,
  BulkChanges: bulkChangesShape,
  BulkChangedRow: bulkChangedRow,
  Analytics: analyticsShape,
  Scan: scanShape,
  Style: styleShape,
  StyleApplication: applicationShape,
  WebhookEndpoint: endpointShape,
  WebhookEndpointWithSecret: endpointWithSecret,
  WebhookDelivery: deliveryShape,
  WebhookDeliveryDetail: deliveryDetail,
  WebhookReplay: replayShape,
  Account: accountShape,
  ...eventComponents,
  Error: errorShape,
};

/** In `requestBodies`, not in `schemas`: only there openapi-typescript makes a field with a default optional. */
export const requestBodies: Record<string, TSchema> = {
  NewQrCode: createBody,
  NewDesign: designBody,
  NewQrCodes: bulkBody,
  ChangedQrCodes: bulkChangesBody,
  DeletedQrCodes: bulkDeletionBody,
  QrCodeChanges: patchBody,
  QrCodeEndingChanges: endingBody,
  QrCodeLabels: labelsBody,
  QrCodeFiles: filesBody,
  QrCodePageChanges: pageBody,
  NewStyle: styleBody,
  StyleChanges: styleChanges,
  NewStyleApplication: applicationBody,
  NewWebhookEndpoint: endpointBody,
  WebhookEndpointChanges: endpointChanges,
  WebhookPeriod: replayBody,
};
