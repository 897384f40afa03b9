export { type Account, createClient, type ClientOptions, type QrelayClient } from './client.ts';
export type {
  Design,
  Logo,
  NewDesign,
  QrCodeEnding,
  QrCodeEndingChanges,
  QrCodeFile,
  QrCodePage,
  QrCodePageChanges,
  QrCodePageLogo,
  QrCodePhoto,
} from './code-parts.ts';
export type {
  Analytics,
  BulkChanges,
  BulkResult,
  BulkRow,
  ChangedQrCodes,
  CreatedQrCode,
  DeletedQrCodes,
  ListedQrCode,
  ListQuery,
  NewQrCode,
  NewQrCodes,
  QrCode,
  QrCodeChanges,
  Scan,
  ScansQuery,
} from './codes.ts';
export { QrelayError, type ErrorDetail } from './errors.ts';
export type {
  Change,
  ChangesCsvQuery,
  ChangesQuery,
  QrCodeRestoration,
  QrCodeVersion,
  VersionsQuery,
} from './history.ts';
export type { Page } from './paging.ts';
export type { QrCodeFiles, QrCodeLabels } from './prints.ts';
export type { RequestOptions } from './send.ts';
export type { VersionOptions } from './versions.ts';
export type { components, operations, paths } from './schema.ts';
export type {
  NewStyle,
  NewStyleApplication,
  Style,
  StyleApplication,
  StyleChanges,
  StylesQuery,
} from './styles.ts';
export type {
  DeliveriesQuery,
  NewWebhookEndpoint,
  WebhookDelivery,
  WebhookDeliveryDetail,
  WebhookEndpoint,
  WebhookEndpointChanges,
  WebhookEndpointWithSecret,
  WebhookReplay,
  WebhooksQuery,
} from './webhook-endpoints.ts';
export {
  verifyWebhook,
  type WebhookEvent,
  WebhookVerificationError,
  type WebhookOptions,
} from './webhooks.ts';
