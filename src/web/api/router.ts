import Router from '@koa/router';
import type { Context, Next } from 'koa';
import { type TObject, Type } from 'typebox';
import { invalid } from '../../errors.ts';
import { jsonBody } from '../middleware/json-body.ts';
import { readQrCodeAnalytics } from './analytics.ts';
import { deleteQrCodeDesign, readQrCodeDesign, replaceQrCodeDesign } from './designs.ts';
import { findErrors } from './check-body.ts';
import type { ApiServices, BodyRules, Operation } from './operation.ts';
import { createQrCode, deleteQrCode, listQrCodes, readQrCode, updateQrCode } from './qr-codes.ts';
import { readQuery } from './query-string.ts';
import { listQrCodeScans } from './scans.ts';
import { normalizeLabels } from './normalize-labels.ts';
import { compileValidator } from './validation.ts';

/** Every operation of the API. A new one is a file in this folder and an entry here. */
export const operations: Operation[] = [
  createQrCode,
  listQrCodes,
  readQrCode,
  updateQrCode,
  deleteQrCode,
  readQrCodeDesign,
  replaceQrCodeDesign,
  deleteQrCodeDesign,
  readQrCodeAnalytics,
  listQrCodeScans,
];

const apiPrefix = '/api/v1';
export const openApiPath = `${apiPrefix}/openapi.json`;

const noQuery = Type.Object({});

export function createApiRouter(services: ApiServices): Router {
  const router = new Router({ prefix: apiPrefix, sensitive: true });
  for (const operation of operations) {
    const path = operation.path.replace(/\{(\w+)\}/g, ':$1');
    const handlers = operation.body ? [jsonBody, serve(operation, services)] : [serve(operation, services)];
    router.register(path, [operation.method], handlers as never);
  }
  return router;
}

function serve(operation: Operation, services: ApiServices) {
  const querySchema: TObject = operation.query ?? noQuery;
  const queryErrors = compileValidator(querySchema, { kind: 'parameter', whole: 'query' });
  const hints = operation.otherFields ?? {};
  const bodyErrors =
    operation.body && compileValidator(operation.body, { kind: 'field', whole: 'body', hints });

  /** Where the query is invalid, the body is checked too, so that one response has the errors of both. */
  function checkQuery(ctx: Context): Record<string, unknown> {
    const query = normalizeLabels(readQuery(querySchema, ctx.querystring)) as Record<string, unknown>;
    const errors = queryErrors(query);
    if (errors.length > 0)
      throw invalid([...errors, ...(bodyErrors?.(normalizeLabels(ctx.request.body)) ?? [])]);
    return query;
  }

  async function checkBody(ctx: Context, rules: BodyRules): Promise<unknown> {
    const body = normalizeLabels(ctx.request.body);
    const errors = bodyErrors ? await findErrors(bodyErrors, body, rules) : [];
    if (errors.length > 0) throw invalid(errors);
    return body;
  }

  return async (ctx: Context, _next: Next): Promise<void> => {
    const ownerId: unknown = ctx.state['ownerId'];
    if (typeof ownerId !== 'string') throw new Error('An operation was called without authentication');
    const result = await operation.handle(
      {
        ownerId,
        params: ctx['params'] as Record<string, string>,
        query: checkQuery(ctx),
        body: (rules = async () => []) => checkBody(ctx, rules),
        warn: (warnings) => {
          if (warnings.length > 0) ctx.set('Qrelay-Warning', warnings);
        },
      },
      services,
    );
    if (operation.method !== 'get') await services.reads.codesChanged(ownerId);
    ctx.status = operation.success.status;
    if (operation.success.schema) ctx.body = result;
  };
}
