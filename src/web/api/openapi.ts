import type { TSchema } from 'typebox';
import { scopeTexts } from '../../accounts/key-scopes.ts';
import { createBody, endingBody, pageBody, patchBody } from '../../codes/code-rules.ts';
import { designBody } from '../../codes/design/design-schema.ts';
import type { Config } from '../../config.ts';
import { accountShape } from './account.ts';
import { bulkChangedRow, bulkChangesBody, bulkChangesShape, bulkDeletionBody } from './bulk-changes.ts';
import { bulkBody, bulkRow, bulkShape } from './bulk.ts';
import { designShape, logoShape } from './designs.ts';
import {
  type ErrorResponse,
  errorResponses,
  errorShape,
  headers,
  idempotencyKey,
  ifMatch,
  ifNoneMatch,
  type Json,
  type JsonObject,
} from './openapi-responses.ts';
import { acceptsIdempotencyKey, type ApiTag, type Operation, type TaggedOperation } from './operation.ts';
import { filesBody, labelsBody } from './prints.ts';
import { endingShape } from './qr-code-ending.ts';
import { changeShape, restoreBody, versionShape } from './history.ts';
import { fileShape, photoShape } from './qr-code-files.ts';
import { pageLogoShape, pageShape } from './qr-code-page.ts';
import { createdShape, listedShape, readShape } from './qr-codes.ts';
import { analyticsShape, scanShape } from './scans.ts';
import type { pageOf } from './lists.ts';
import { applicationBody, applicationShape } from './style-applications.ts';
import { styleBody, styleChanges, styleShape } from './styles.ts';
import { deliveryDetail, deliveryShape, replayBody, replayShape } from './webhook-deliveries.ts';
import { describeEvents, eventComponents } from './webhook-events.ts';
import { endpointBody, endpointChanges, endpointShape, endpointWithSecret } from './webhooks.ts';

const tags: Record<ApiTag, string> = {
  'QR codes': 'Create, list, read, change, delete and restore QR codes.',
  Versions: 'What a QR code was, and who changed it. Restore one of its versions.',
  'Bulk requests': 'Create, change or delete up to 500 QR codes at once.',
  Designs: 'How a QR code looks: shapes, colors, frame and logo.',
  Styles: 'Saved designs, called templates in the app: one for many QR codes, or for all new ones.',
  Expiry: 'When a QR code expires, and where its share link leads after that.',
  'Share pages': 'How the page looks that a scan opens, and its logo.',
  'Files and photos': 'The file that a scan opens, and the photo of a contact.',
  Printing: 'Label sheets and files of many QR codes.',
  'Scans and analytics': 'Scan statistics and single scans of a QR code.',
  Webhooks: 'Endpoints that the service calls when something happens.',
  'Webhook deliveries': 'What was sent to your webhook endpoints. Send it again, or send a test.',
  'Audit log': 'Who changed what in the workspace.',
  Account: 'What the account of a key may have, and has.',
};

/** What the `{id}` of a path identifies, by the first segment of the path. */
const resources: Record<string, string> = {
  qrcodes: 'QR code',
  styles: 'style',
  'style-applications': 'application',
  webhooks: 'webhook endpoint',
  'webhook-deliveries': 'delivery',
};

const always = ['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset', 'X-Request-Id'];

/** The OpenAPI 3.1 document, built from the operations and the schemas that they validate with. */
export function buildOpenApi(
  operations: TaggedOperation[],
  { baseUrl, abuseContact }: Pick<Config, 'baseUrl' | 'abuseContact'>,
): JsonObject {
  const paths: Record<string, JsonObject> = {};
  for (const operation of operations) {
    paths[operation.path] = { ...paths[operation.path], [operation.method]: describe(operation) };
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Qrelay',
      version: '1.0.0',
      summary:
        'Create QR codes that you can change after printing, and see when, where and on what they were scanned.',
      description:
        'Send your API key with every request. Every response says how many requests you have left, and every error has the same format. Bodies are JSON. Responses may get new fields: ignore fields that you do not know.',
      ...(abuseContact !== undefined && { contact: contactOf(abuseContact) }),
      license: { name: 'MIT', identifier: 'MIT' },
    },
    externalDocs: { url: `${baseUrl}/docs`, description: 'This reference as a web page, with examples.' },
    servers: [{ url: `${baseUrl}/api/v1` }],
    tags: Object.entries(tags).map(([name, description]) => ({ name, description })),
    security: [{ apiKey: [] }],
    paths,
    webhooks: describeEvents(reference),
    components: {
      securitySchemes: {
        apiKey: {
          type: 'http',
          scheme: 'bearer',
          bearerFormat: 'qrl_<prefix>_<secret>',
          description:
            'Create a key on the API keys page (/keys); it is shown only once. The operator of the service can also create one with `qrelay key create`. Rate limits apply per key. A key can do everything, or only what its scopes allow.',
          'x-scopes': scopeTexts,
        },
      },
      schemas: Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, inline(schema)])),
      requestBodies: Object.fromEntries(
        Object.entries(requestBodies).map(([name, schema]) => [name, describeBody(schema, operations)]),
      ),
      headers,
      responses: Object.fromEntries(
        Object.values(errorResponses).map((response) => [response.name, describeError(response)]),
      ),
    },
  };
}

function contactOf(contact: string): JsonObject {
  return /^https?:/.test(contact) ? { url: contact } : { email: contact };
}

function describe(operation: TaggedOperation): JsonObject {
  const statuses = [400, 401, 403, 405, 408, 429, 500, 503];
  const hasId = operation.path.includes('{id}');
  const isPrint = operation.success.file !== undefined && operation.body !== undefined;
  if (hasId || isPrint || hasIdInBody(operation)) statuses.push(404);
  if (operation.body || operation.fileTypes) statuses.push(413, 415);
  const isIdempotent = acceptsIdempotencyKey(operation);
  if (isIdempotent) statuses.push(409);
  const { isVersioned = false, method } = operation;
  const isRead = method === 'get';
  const changesVersion = isVersioned && hasId && !isRead;
  if (changesVersion) statuses.push(412);
  const { status, description, schema, example, file, location, optionalHeaders = [] } = operation.success;
  const mayWarn = hasFormerNames(operation) && !optionalHeaders.includes('Qrelay-Warning');
  return {
    operationId: operation.id,
    tags: [operation.tag],
    summary: operation.summary,
    description: operation.description,
    // For other types than OAuth, OpenAPI 3.1 takes these for the roles that are needed.
    security: [{ apiKey: [operation.scope] }],
    parameters: [
      ...(hasId ? [idParameter(operation.path)] : []),
      ...otherParameters(operation.path),
      ...queryParameters(operation),
      ...(isIdempotent ? [idempotencyKey] : []),
      ...(changesVersion ? [ifMatch] : []),
      ...(isVersioned && isRead ? [ifNoneMatch] : []),
    ],
    ...(operation.body && { requestBody: requestBodyOf(operation) }),
    ...(operation.fileTypes && { requestBody: describeFile(operation.fileTypes) }),
    responses: {
      [status]: {
        description,
        headers: headerReferences([
          ...always,
          ...(isVersioned && schema ? ['ETag'] : []),
          ...(location ? ['Location'] : []),
          ...(file ? ['Content-Disposition'] : []),
          ...optionalHeaders,
          ...(mayWarn ? ['Qrelay-Warning'] : []),
          ...(isIdempotent ? ['Idempotency-Replayed'] : []),
        ]),
        ...(schema && {
          content: { 'application/json': { schema: responseSchemaOf(operation), example: example as Json } },
        }),
        ...(file && { content: { [file.type]: { schema: { type: 'string', format: 'binary' } } } }),
      },
      ...(isVersioned &&
        isRead && {
          304: {
            description: 'The version in `If-None-Match` is the current one.',
            headers: headerReferences([...always, 'ETag']),
          },
        }),
      ...Object.fromEntries(
        statuses.map((code) => [code, { $ref: `#/components/responses/${errorResponses[code]?.name}` }]),
      ),
    },
  };
}

function idParameter(path: string): JsonObject {
  const resource = resources[path.split('/')[1] ?? ''];
  if (!resource) throw new Error(`Add the resource of ${path} to \`resources\` in src/web/api/openapi.ts`);
  const description = `The \`id\` of the ${resource}.`;
  return { name: 'id', in: 'path', required: true, description, schema: { type: 'string', description } };
}

const pathParameters: Record<string, string> = {
  version: 'The `version` of the QR code.',
};

function otherParameters(path: string): JsonObject[] {
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
  return names
    .filter((name) => name !== 'id')
    .map((name) => {
      const description = pathParameters[name];
      if (description === undefined)
        throw new Error(`Describe {${name}} of ${path} in \`pathParameters\` in src/web/api/openapi.ts`);
      return { name, in: 'path', required: true, description, schema: { type: 'string', description } };
    });
}

function queryParameters({ query, queryExample }: Operation): Json[] {
  const { properties = {}, required = [] } = (query ?? {}) as { properties?: object; required?: string[] };
  const examples = (queryExample ?? {}) as JsonObject;
  return Object.entries(properties as Record<string, TSchema & { description?: string }>).map(
    ([name, part]) => ({
      name,
      in: 'query',
      required: required.includes(name),
      description: part.description ?? name,
      schema: reference(part),
      ...(name in examples && { example: examples[name] as Json }),
    }),
  );
}

function describeBody(schema: TSchema, operations: Operation[]): JsonObject {
  const { bodyExample, isBodyOptional = false } = operations.find(({ body }) => body === schema) ?? {};
  const description = (schema as { description?: string }).description ?? '';
  return {
    description,
    required: !isBodyOptional,
    content: { 'application/json': { schema: inline(schema), example: bodyExample as Json } },
  };
}

function describeError(response: ErrorResponse): JsonObject {
  const { description, example, headers: more = [], optionalHeaders = [], isUnread } = response;
  return {
    description,
    headers: {
      ...headerReferences(isUnread ? ['X-Request-Id'] : [...always, ...more]),
      ...Object.fromEntries(
        optionalHeaders.map((name) => [name, { ...(headers[name] as JsonObject), required: false }]),
      ),
    },
    content: {
      'application/json': {
        schema: reference(errorShape),
        example: { ...example, requestId: '6f1c1d0e-0f3c-4b0e-9a53-6a4f2f9f6b1d' },
      },
    },
  };
}

function headerReferences(names: string[]): JsonObject {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

function requestBodyOf({ id, body }: Operation): Json {
  const found = pointer('requestBodies', requestBodies, body);
  if (!found) throw new Error(`Add the request body of ${id} to \`requestBodies\` in src/web/api/openapi.ts`);
  return found;
}

/** Client generators name types after components, so a response, or what a page lists, must be one. */
function responseSchemaOf({ id, success: { schema } }: Operation): Json {
  const shape = (schema as ReturnType<typeof pageOf>).properties?.data?.items ?? schema;
  if (!pointer('schemas', schemas, shape))
    throw new Error(`Add the response of ${id} to \`schemas\` in src/web/api/openapi.ts`);
  return reference(schema);
}

function pointer(kind: string, components: Record<string, TSchema>, schema: unknown): Json | undefined {
  const name = Object.keys(components).find((key) => components[key] === schema);
  return name && { $ref: `#/components/${kind}/${name}` };
}

/** The schema, or a `$ref` where it is a component. */
function reference(schema: unknown): Json {
  return pointer('schemas', schemas, schema) ?? inline(schema);
}

function inline(schema: unknown): Json {
  if (Array.isArray(schema)) return schema.map(reference);
  if (typeof schema !== 'object' || schema === null) return schema as Json;
  return Object.fromEntries(Object.entries(schema).map(([key, part]) => [key, reference(part)]));
}

function hasFormerNames({ body }: Operation): boolean {
  return Object.values((body?.properties ?? {}) as Record<string, object>).some(
    (each) => 'x-renamed-to' in each,
  );
}

/** The 404 of a resource that may be missing. */
function hasIdInBody({ body }: Operation): boolean {
  const properties = Object.values((body?.properties ?? {}) as Record<string, { format?: string }>);
  return properties.some(({ format }) => format === 'uuid');
}

/** Responses, by the names that they have in the document. */
const schemas: Record<string, TSchema> = {
  QrCode: readShape,
  ListedQrCode: listedShape,
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
  QrCodeVersion: versionShape,
  Change: changeShape,
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
const requestBodies: Record<string, TSchema> = {
  NewQrCode: createBody,
  NewDesign: designBody,
  NewQrCodes: bulkBody,
  ChangedQrCodes: bulkChangesBody,
  DeletedQrCodes: bulkDeletionBody,
  QrCodeChanges: patchBody,
  QrCodeEndingChanges: endingBody,
  QrCodeRestoration: restoreBody,
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

/** The body of a request that is a file of one of these media types. */
function describeFile(types: string[]) {
  const schema = { type: 'string', format: 'binary' };
  return {
    description: 'The file.',
    required: true,
    content: Object.fromEntries(types.map((type) => [type, { schema }])),
  };
}
