import type { Context, Next } from 'koa';
import type { TObject } from 'typebox';
import type { RateWindow } from '../../accounts/authenticate.ts';
import { Type } from '../../schema.ts';
import { invalid } from '../../errors.ts';
import type { FairScheduler } from '../../runtime/fair-scheduler.ts';
import { callerOf, inTurn } from '../middleware/caller.ts';
import { attachment } from '../../http/content-disposition.ts';
import { fileBody, fileOf } from '../middleware/file-body.ts';
import { jsonBody } from '../middleware/json-body.ts';
import { readAccount } from './account.ts';
import { readQrCodeAnalytics } from './analytics.ts';
import { deleteQrCodeDesign, readQrCodeDesign, replaceQrCodeDesign } from './designs.ts';
import { deleteQrCodeLogo, readQrCodeLogo, replaceQrCodeLogo } from './design-logos.ts';
import { createQrCodes } from './bulk.ts';
import { deleteQrCodes, updateQrCodes } from './bulk-changes.ts';
import { findErrors, refuseBody } from './check-body.ts';
import { createRenaming, inSentNames, type RenamedBody, renamingWarnings } from './former-names.ts';
import { createIdempotency, type Idempotency, type OperationResponse, readKeyUse } from './idempotency.ts';
import type { Services } from '../services.ts';
import { acceptsIdempotencyKey, type BodyRules, type Operation } from './operation.ts';
import { readQrCodeEnding, updateQrCodeEnding } from './qr-code-ending.ts';
import { deleteQrCodeFile, readQrCodeFile, replaceQrCodeFile } from './qr-code-file.ts';
import { deleteQrCodePageLogo, readQrCodePageLogo, replaceQrCodePageLogo } from './page-logos.ts';
import { readQrCodePage, updateQrCodePage } from './qr-code-page.ts';
import { deleteQrCodePhoto, readQrCodePhoto, replaceQrCodePhoto } from './qr-code-photo.ts';
import { createQrCode, deleteQrCode, listQrCodes, readQrCode, updateQrCode } from './qr-codes.ts';
import { downloadQrCodeFiles, printQrCodeLabels } from './prints.ts';
import { isKnown, requireMatch } from './preconditions.ts';
import { readQuery } from './query-string.ts';
import { listQrCodeScans } from './scans.ts';
import { applyStyle, readStyleApplication } from './style-applications.ts';
import { deleteStyleLogo, readStyleLogo, replaceStyleLogo } from './style-logos.ts';
import { createStyle, deleteStyle, listStyles, readStyle, updateStyle } from './styles.ts';
import { normalizeLabels } from './normalize-labels.ts';
import { compileValidator } from './validation.ts';
import {
  listWebhookDeliveries,
  readWebhookDelivery,
  replayWebhook,
  retryWebhookDelivery,
  testWebhook,
} from './webhook-deliveries.ts';
import {
  createWebhook,
  deleteWebhook,
  listWebhooks,
  readWebhook,
  rotateWebhookSecret,
  updateWebhook,
} from './webhooks.ts';
import { createRoutes, type Routes } from '../routes.ts';

/**
 * Every operation of the API. A new one is a file in this folder and an entry here. The first whose path matches is called, so
 * `/qrcodes/bulk` is before `/qrcodes/{id}`.
 */
export const operations: Operation[] = [
  createQrCode,
  createQrCodes,
  updateQrCodes,
  deleteQrCodes,
  listQrCodes,
  readQrCode,
  updateQrCode,
  deleteQrCode,
  readQrCodeDesign,
  replaceQrCodeDesign,
  deleteQrCodeDesign,
  readQrCodeLogo,
  replaceQrCodeLogo,
  deleteQrCodeLogo,
  readQrCodeEnding,
  updateQrCodeEnding,
  readQrCodePage,
  updateQrCodePage,
  readQrCodeFile,
  replaceQrCodeFile,
  deleteQrCodeFile,
  readQrCodePhoto,
  replaceQrCodePhoto,
  deleteQrCodePhoto,
  readQrCodePageLogo,
  replaceQrCodePageLogo,
  deleteQrCodePageLogo,
  readQrCodeAnalytics,
  listQrCodeScans,
  printQrCodeLabels,
  downloadQrCodeFiles,
  createStyle,
  listStyles,
  readStyle,
  updateStyle,
  deleteStyle,
  readStyleLogo,
  replaceStyleLogo,
  deleteStyleLogo,
  applyStyle,
  readStyleApplication,
  createWebhook,
  listWebhooks,
  readWebhook,
  updateWebhook,
  deleteWebhook,
  rotateWebhookSecret,
  testWebhook,
  listWebhookDeliveries,
  readWebhookDelivery,
  retryWebhookDelivery,
  replayWebhook,
  readAccount,
];

const apiPrefix = '/api/v1';
export const openApiPath = `${apiPrefix}/openapi.json`;

const noQuery = Type.Object({});

export function apiRoutes(services: Services): Routes {
  const routes = createRoutes(apiPrefix);
  const idempotency = createIdempotency(services);
  for (const operation of operations) {
    const path = operation.path.replace(/\{(\w+)\}/g, ':$1');
    const readers = bodyReaders(operation, services.uploads);
    routes.add(
      'key',
      operation.method.toUpperCase(),
      path,
      ...readers,
      serve(operation, services, idempotency),
    );
  }
  return routes;
}

function bodyReaders({ body, fileTypes, maxBodyBytes }: Operation, uploads: FairScheduler) {
  if (fileTypes) return [inTurn(uploads), fileBody(maxBodyBytes)];
  if (!body) return [];
  if (maxBodyBytes === undefined) return [jsonBody()];
  return [inTurn(uploads), jsonBody(maxBodyBytes)];
}

type Perform = (given: Services) => Promise<OperationResponse>;

function serve(operation: Operation, services: Services, idempotency: Idempotency) {
  const querySchema: TObject = operation.query ?? noQuery;
  const queryErrors = compileValidator(querySchema, { kind: 'parameter', whole: 'query' });
  const hints = operation.otherFields ?? {};
  const { file, location } = operation.success;
  const sendsBody = operation.success.schema !== undefined || file !== undefined;
  const bodySchema = operation.checkedBody ?? operation.body;
  const rename = createRenaming(operation.body);
  const bodyErrors = bodySchema && compileValidator(bodySchema, { kind: 'field', whole: 'body', hints });

  /** Where the query is invalid, the body is checked too, so that one response has the errors of both. */
  function checkQuery(ctx: Context, given: RenamedBody): Record<string, unknown> {
    const query = normalizeLabels(readQuery(querySchema, ctx.querystring)) as Record<string, unknown>;
    const errors = [...queryErrors(query), ...(operation.queryRules?.(query) ?? [])];
    if (errors.length > 0)
      throw invalid([...errors, ...given.errors, ...(bodyErrors?.(normalizeLabels(given.body)) ?? [])]);
    return query;
  }

  async function checkBody(given: RenamedBody, rules: BodyRules): Promise<unknown> {
    const body = normalizeLabels(given.body);
    const errors = bodyErrors ? await findErrors(bodyErrors, body, rules) : [];
    if (errors.length + given.errors.length > 0) throw refuseBody([...given.errors, ...errors]);
    return body;
  }

  async function prepare(ctx: Context, ownerId: string): Promise<Perform> {
    const headers: OperationResponse['headers'] = {};
    const renamed = rename(ctx.request.body);
    const warnings = renamingWarnings(renamed.sent);
    const named = (error: unknown): never => {
      throw inSentNames(error, renamed.sent);
    };
    const request: Parameters<NonNullable<Operation['handle']>>[0] = {
      ownerId,
      rateWindow: ctx.state['rateWindow'] as RateWindow,
      caller: callerOf(ctx),
      params: ctx['params'] as Record<string, string>,
      query: checkQuery(ctx, renamed),
      body: (rules = async () => []) => checkBody(renamed, rules),
      sentName: (field) => renamed.sent.get(field) ?? field,
      file: () => fileOf(ctx),
      mediaType: ctx.get('Content-Type'),
      warn: (more) => void warnings.push(...more),
      etag: (tag) => {
        headers.ETag = tag;
      },
      requireMatch: (tag) => requireMatch(ctx.req.headers['if-match'], tag),
    };
    const handle = operation.prepare
      ? await operation.prepare(request, services).catch(named)
      : (given: Services) => operation.handle(request, given);
    return async (given) => {
      const body: unknown = await handle(given).catch(named);
      if (warnings.length > 0) headers['Qrelay-Warning'] = warnings;
      if (location) headers.Location = locationOf(location, body as { id: string });
      return { status: operation.success.status, headers, ...(sendsBody && { body }) };
    };
  }

  const locationOf = (path: string, { id }: { id: string }) =>
    `${services.config.baseUrl}${apiPrefix}${path.replace('{id}', id)}`;

  /** Other processes and caches must not learn of a change before it is committed. */
  async function performOnce(ctx: Context, ownerId: string): Promise<OperationResponse> {
    const use = acceptsIdempotencyKey(operation) ? readKeyUse(ctx, ownerId) : undefined;
    if (!use) return (await prepare(ctx, ownerId))(services);
    const changed: string[] = [];
    const codeChanged = (shareToken: string) => changed.push(shareToken);
    const { response, isReplay } = await idempotency.once(use, async () => {
      const perform = await prepare(ctx, ownerId);
      return (db) => perform({ ...services, db, codeChanged });
    });
    changed.forEach(services.codeChanged);
    if (isReplay) ctx.set('Idempotency-Replayed', 'true');
    return response;
  }

  return async (ctx: Context, _next: Next): Promise<void> => {
    const ownerId: unknown = ctx.state['ownerId'];
    if (typeof ownerId !== 'string') throw new Error('An operation was called without authentication');
    const { status, headers, body } = await performOnce(ctx, ownerId);
    if (operation.method !== 'get' && !file) await services.reads.codesChanged(ownerId);
    ctx.set(headers);
    if (operation.method === 'get' && isKnown(ctx.req.headers['if-none-match'], headers.ETag)) {
      ctx.status = 304;
      return;
    }
    ctx.status = status;
    if (file) {
      const [name = '', extension = ''] = file.name.split('.');
      ctx.set({ 'Content-Type': file.type, 'Content-Disposition': attachment(name, extension, name) });
    }
    if (body !== undefined) ctx.body = body;
  };
}
