import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import type { Context, Next } from 'koa';
import type { TObject } from 'typebox';
import type { RateWindow } from '../../accounts/api-keys.ts';
import {
  type BodyRules,
  compileValidator,
  findErrors,
  normalizeLabels,
  readQuery,
  refuseBody,
} from '../../codes/validation.ts';
import type { Config } from '../../config.ts';
import { AppError, invalid } from '../../errors.ts';
import { attachment } from '../../http/file-headers.ts';
import { anonymousHourlyQuota } from '../../limits.ts';
import type { FairScheduler } from '../../runtime/fair-scheduler.ts';
import { Type } from '../../schema.ts';
import { fileBody, fileOf, jsonBody } from '../middleware/body.ts';
import { downloaderOf, inTurn } from '../middleware/caller.ts';
import { type Routes, createRoutes } from '../routes.ts';
import { readAccount } from './account.ts';
import { bulkChangeOperations } from './bulk-changes.ts';
import { designOperations } from './designs.ts';
import { auditOperations, versionOperations } from './history.ts';
import { printOperations } from './prints.ts';
import { endingOperations } from './qr-code-ending.ts';
import { fileOperations } from './qr-code-files.ts';
import { pageLogoOperations, pageOperations } from './qr-code-page.ts';
import { scanOperations } from './scans.ts';
import { applicationOperations } from './style-applications.ts';
import { styleOperations } from './styles.ts';
import { deliveryOperations } from './webhook-deliveries.ts';
import { webhookOperations } from './webhooks.ts';
import { createQrCodes } from './bulk.ts';
import { type RenamedBody, createRenaming, inSentNames, renamingWarnings } from './former-names.ts';
import { type Idempotency, type OperationResponse, createIdempotency, readKeyUse } from './idempotency.ts';
import { buildOpenApi } from './openapi.ts';
import { type ApiTag, type Operation, type TaggedOperation, acceptsIdempotencyKey } from './operation.ts';
import { etagOf, isKnown, requireMatch } from './preconditions.ts';
import type { Services } from '../services.ts';
import { createQrCode, listQrCodes, readQrCode, updateQrCode } from './qr-codes.ts';
import { deleteQrCode, restoreQrCode } from './qr-code-trash.ts';
import type { WorkspaceId } from '../../workspaces/workspace.ts';

/** In the order of the OpenAPI document. */
const operationsByTag: Record<ApiTag, Operation[]> = {
  'QR codes': [createQrCode, listQrCodes, readQrCode, updateQrCode, deleteQrCode, restoreQrCode],
  Versions: versionOperations,
  'Bulk requests': [createQrCodes, ...bulkChangeOperations],
  Designs: designOperations,
  Styles: [...styleOperations, ...applicationOperations],
  Expiry: endingOperations,
  'Share pages': [...pageOperations, ...pageLogoOperations],
  'Files and photos': fileOperations,
  Printing: printOperations,
  'Scans and analytics': scanOperations,
  Webhooks: webhookOperations,
  'Webhook deliveries': deliveryOperations,
  'Audit log': auditOperations,
  Account: [readAccount],
};

/** Every operation of the API. A new one is declared in the file of its resource. */
export const operations: TaggedOperation[] = Object.entries(operationsByTag).flatMap(([tag, list]) =>
  list.map((each) => ({ ...each, tag: tag as ApiTag })),
);

const apiPrefix = '/api/v1';
export const openApiPath = `${apiPrefix}/openapi.json`;

const noQuery = Type.Object({});

export function apiRoutes(services: Services): Routes {
  const routes = createRoutes(apiPrefix);
  const idempotency = createIdempotency(services);
  for (const operation of operations.toSorted(fixedPathsFirst)) {
    const path = operation.path.replace(/\{(\w+)\}/g, ':$1');
    const readers = bodyReaders(operation, services.uploads);
    routes.addForKeys(
      operation.scope,
      operation.method.toUpperCase(),
      path,
      ...readers,
      serve(operation, services, idempotency),
    );
  }
  return routes;
}

/** The first whose path matches is called, and `/qrcodes/{id}` matches `/qrcodes/bulk`, too. */
function fixedPathsFirst(one: Operation, other: Operation): number {
  return Number(one.path.includes('{id}')) - Number(other.path.includes('{id}'));
}

function bodyReaders({ body, isBodyOptional, fileTypes, maxBodyBytes }: Operation, uploads: FairScheduler) {
  if (fileTypes) return [inTurn(uploads), fileBody(maxBodyBytes)];
  if (!body) return [];
  if (maxBodyBytes === undefined) return [jsonBody(undefined, { isOptional: isBodyOptional === true })];
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

  async function prepare(ctx: Context, workspaceId: WorkspaceId): Promise<Perform> {
    const headers: OperationResponse['headers'] = {};
    const renamed = rename(ctx.request.body);
    const warnings = renamingWarnings(renamed.sent);
    const named = (error: unknown): never => {
      throw inSentNames(error, renamed.sent);
    };
    const request: Parameters<NonNullable<Operation['handle']>>[0] = {
      workspaceId,
      rateWindow: ctx.state['rateWindow'] as RateWindow,
      caller: downloaderOf(ctx),
      id: (ctx['params'] as { id?: string }).id ?? '',
      parameter: (name) => (ctx['params'] as Record<string, string>)[name] ?? '',
      query: checkQuery(ctx, renamed),
      body: (rules = async () => []) => checkBody(renamed, rules),
      sentName: (field) => renamed.sent.get(field) ?? field,
      file: () => fileOf(ctx),
      mediaType: ctx.get('Content-Type'),
      warn: (more) => void warnings.push(...more),
      versioned(resource, etag = etagOf(resource)) {
        headers.ETag = etag;
        return resource;
      },
      requireMatch: (current) =>
        requireMatch(ctx.req.headers['if-match'], typeof current === 'string' ? current : etagOf(current)),
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
  async function performOnce(ctx: Context, workspaceId: WorkspaceId): Promise<OperationResponse> {
    const use = acceptsIdempotencyKey(operation) ? readKeyUse(ctx, workspaceId) : undefined;
    if (!use) return (await prepare(ctx, workspaceId))(services);
    const changed: string[] = [];
    const codeChanged = (shareToken: string) => changed.push(shareToken);
    const { response, isReplay } = await idempotency.once(use, async () => {
      const perform = await prepare(ctx, workspaceId);
      return (db) => perform({ ...services, db, codeChanged });
    });
    changed.forEach(services.codeChanged);
    if (isReplay) ctx.set('Idempotency-Replayed', 'true');
    return response;
  }

  return async (ctx: Context, _next: Next): Promise<void> => {
    const workspaceId = ctx.state['workspaceId'] as WorkspaceId | undefined;
    if (workspaceId === undefined) throw new Error('An operation was called without authentication');
    const { status, headers, body } = await performOnce(ctx, workspaceId);
    if (operation.method !== 'get' && !file) await services.reads.codesChanged(workspaceId);
    ctx.set(headers);
    if (operation.method === 'get' && isKnown(ctx.req.headers['if-none-match'], headers.ETag)) {
      ctx.status = 304;
      return;
    }
    ctx.status = status;
    if (file) {
      const [name = '', extension = ''] = file.name.split('.');
      const charset = file.type === 'text/csv' ? '; charset=utf-8' : '';
      ctx.set({
        'Content-Type': file.type + charset,
        'Content-Disposition': attachment(name, extension, name),
      });
    }
    if (body !== undefined) ctx.body = body;
  };
}

const allowed = 'HEAD, GET';

interface DocumentParts {
  config: Pick<Config, 'baseUrl' | 'abuseContact'>;
  now: () => Date;
}

/**
 * The OpenAPI document, built once and served from memory to anybody. Requests for it are not counted, so its
 * rate limit headers are those of an unused window.
 */
export function documentRoutes({ config, now }: DocumentParts): Routes {
  const json = Buffer.from(JSON.stringify(buildOpenApi(operations, config)));
  const gzip = gzipSync(json, { level: 9 });
  const digest = createHash('sha256').update(json).digest('base64url');
  const routes = createRoutes();

  routes.add('stranger', 'ALL', openApiPath, (ctx) => {
    ctx.set({
      'X-RateLimit-Limit': String(anonymousHourlyQuota),
      'X-RateLimit-Remaining': String(anonymousHourlyQuota),
      'X-RateLimit-Reset': String(Math.ceil(now().getTime() / 1000)),
    });
    if (ctx.method !== 'GET' && ctx.method !== 'HEAD')
      throw new AppError('validation_error', `${ctx.method} is not allowed here; use ${allowed}.`, {
        status: 405,
        code: 'method_not_allowed',
        headers: { Allow: allowed },
      });
    const isGzip = ctx.acceptsEncodings('gzip', 'identity') === 'gzip';
    ctx.vary('Accept-Encoding');
    const etag = `"${digest}${isGzip ? '-gzip' : ''}"`;
    ctx.set({ 'Cache-Control': 'no-cache', ETag: etag });
    // Not `ctx.fresh`: fetch sends `Cache-Control: no-cache` along with every If-None-Match, and `fresh` would never answer 304.
    if (ctx.get('If-None-Match').includes(etag)) {
      ctx.status = 304;
      return;
    }
    if (isGzip) ctx.set('Content-Encoding', 'gzip');
    ctx.type = 'application/json; charset=utf-8';
    ctx.body = isGzip ? gzip : json;
  });
  return routes;
}
