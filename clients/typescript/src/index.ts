export { createClient, type ClientOptions, type QrelayClient } from './client.ts';
export type {
  Analytics,
  BulkResult,
  BulkRow,
  CreatedQrCode,
  ListQuery,
  NewQrCode,
  NewQrCodes,
  QrCode,
  QrCodeChanges,
  Scan,
  ScansQuery,
  VersionOptions,
} from './codes.ts';
export { QrelayError, type ErrorDetail } from './errors.ts';
export type { Page } from './paging.ts';
export type { RequestOptions } from './send.ts';
export type { components, operations, paths } from './schema.ts';
export { verifyWebhook, WebhookVerificationError, type WebhookOptions } from './webhooks.ts';
