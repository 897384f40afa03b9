import { type TSchema, Type } from 'typebox';
import { anonymousHourlyQuota, hourlyQuota } from '../../accounts/plans.ts';
import { analyticsShape } from './analytics.ts';
import type { Operation } from './operation.ts';
import { createBody, createdShape, patchBody, readShape } from './qr-code-shapes.ts';
import { scanShape } from './scans.ts';
import { closed } from './schema-parts.ts';

type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
type JsonObject = { [key: string]: Json };

const errorShape = Type.Object(
  {
    error: Type.Enum(['validation_error', 'invalid_api_key', 'not_found', 'rate_limited', 'internal_error'], {
      description: 'What went wrong, for programs.',
    }),
    message: Type.String({ description: 'What went wrong, in a sentence for a person.' }),
    details: Type.Optional(
      Type.Array(Type.Object({ field: Type.String(), message: Type.String() }, closed), {
        description: 'For validation errors: every field that is at fault.',
      }),
    ),
    requestId: Type.String({
      description: 'The same as the header X-Request-Id. Quote it when you ask for help.',
    }),
  },
  { ...closed, description: 'An error.' },
);

const components: Record<string, TSchema> = {
  QrCode: readShape,
  CreatedQrCode: createdShape,
  NewQrCode: createBody,
  QrCodeChanges: patchBody,
  Analytics: analyticsShape,
  Scan: scanShape,
  Error: errorShape,
};

const headers: JsonObject = {
  'X-RateLimit-Limit': header('Requests allowed in the window of one hour.'),
  'X-RateLimit-Remaining': header('Requests left in the window.'),
  'X-RateLimit-Reset': header(
    'Unix time in whole seconds: after a 429 the first moment at which a request will succeed, otherwise when the oldest counted request leaves the window.',
  ),
  'X-Request-Id': header('Names this request in our logs.', 'string'),
  'Retry-After': header('Seconds to wait.'),
  'WWW-Authenticate': header('Always `Bearer`.', 'string'),
  Allow: header('The methods that this address takes.', 'string'),
  'Qrelay-Warning': {
    ...header(
      'A reason for which scanners may not be able to read the picture, and what to change: a sentence without a comma. One header for each reason; not sent where there is none.',
      'string',
    ),
    required: false,
  },
};

const always = ['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset', 'X-Request-Id'];

interface ErrorAnswer {
  name: string;
  description: string;
  example: JsonObject;
  headers?: string[];
}

const errorAnswers: Record<number, ErrorAnswer> = {
  400: {
    name: 'ValidationError',
    description: 'Invalid payload or parameter; `details` names every bad field.',
    example: {
      error: 'validation_error',
      message: 'size must be at most 2048.',
      details: [{ field: 'size', message: 'must be at most 2048' }],
    },
  },
  401: {
    name: 'InvalidApiKey',
    description: 'Key missing, revoked or malformed.',
    example: {
      error: 'invalid_api_key',
      message: 'A valid API key is needed: send the header Authorization: Bearer <API_KEY>.',
    },
    headers: ['WWW-Authenticate'],
  },
  404: {
    name: 'NotFound',
    description: 'The resource does not exist or does not belong to the user.',
    example: { error: 'not_found', message: 'There is no such QR code.' },
  },
  405: {
    name: 'MethodNotAllowed',
    description: 'The address does not take this method.',
    example: { error: 'validation_error', message: 'PUT is not allowed here; use GET, HEAD, PATCH, DELETE.' },
    headers: ['Allow'],
  },
  413: {
    name: 'BodyTooLarge',
    description: 'The body is too large.',
    example: { error: 'validation_error', message: 'The body must have at most 65536 bytes.' },
  },
  415: {
    name: 'NotJson',
    description: 'The body is not declared as JSON, or its encoding is not known.',
    example: {
      error: 'validation_error',
      message: 'The body must be JSON: send the header Content-Type: application/json.',
    },
  },
  429: {
    name: 'RateLimited',
    description: `Hourly quota exceeded: ${hourlyQuota.free} requests on Free, ${hourlyQuota.pro} on Pro, ${anonymousHourlyQuota} per client address without a valid key. Wait for the time given by X-RateLimit-Reset.`,
    example: {
      error: 'rate_limited',
      message: 'The limit of 20 requests an hour is used up. Try again in 1260 seconds.',
    },
    headers: ['Retry-After'],
  },
  500: {
    name: 'InternalError',
    description: 'Server error. Retry later.',
    example: { error: 'internal_error', message: 'Something went wrong on our side. Try again later.' },
  },
  503: {
    name: 'Unavailable',
    description: 'The service cannot answer for a moment. Retry after the pause.',
    example: {
      error: 'internal_error',
      message: 'The service cannot reach its database right now. Try again shortly.',
    },
    headers: ['Retry-After'],
  },
};

/** The OpenAPI 3.1 document, assembled from the operations: what they validate with is what it shows. */
export function buildOpenApi(operations: Operation[], baseUrl: string): JsonObject {
  const paths: Record<string, JsonObject> = {};
  for (const operation of operations) {
    paths[operation.path] = { ...paths[operation.path], [operation.method]: describe(operation) };
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Qrelay',
      version: '1.0.0',
      summary: 'Store a QR code, print its share address, read who scanned it.',
      description:
        'Every request carries an API key, and every answer the figures of its rate limit. Errors have one shape.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: `${baseUrl}/api/v1` }],
    security: [{ apiKey: [] }],
    paths,
    components: {
      securitySchemes: {
        apiKey: {
          type: 'http',
          scheme: 'bearer',
          bearerFormat: 'qrl_<prefix>_<secret>',
          description:
            'An API key, made on the page API Keys (/keys) after signing up, or by whoever runs the service with `qrelay key create`. Limits are counted per key.',
        },
      },
      schemas: Object.fromEntries(Object.entries(components).map(([name, schema]) => [name, inline(schema)])),
      headers,
      responses: Object.fromEntries(
        Object.values(errorAnswers).map((answer) => [answer.name, describeError(answer)]),
      ),
    },
  };
}

function describe(operation: Operation): JsonObject {
  const statuses = [400, 401, 405, 429, 500, 503];
  if (operation.params) statuses.push(404);
  if (operation.body) statuses.push(413, 415);
  const { status, description, schema, example, optionalHeaders = [] } = operation.success;
  return {
    operationId: operation.id,
    summary: operation.summary,
    description: operation.description,
    parameters: [...parameters('path', operation.params), ...parameters('query', operation.query)],
    ...(operation.body && {
      requestBody: {
        required: true,
        content: {
          'application/json': { schema: reference(operation.body), example: operation.bodyExample as Json },
        },
      },
    }),
    responses: {
      [status]: {
        description,
        headers: headerReferences([...always, ...optionalHeaders]),
        ...(schema && {
          content: { 'application/json': { schema: reference(schema), example: example as Json } },
        }),
      },
      ...Object.fromEntries(
        statuses.map((code) => [code, { $ref: `#/components/responses/${errorAnswers[code]?.name}` }]),
      ),
    },
  };
}

function parameters(place: 'path' | 'query', schema: Operation['params']): Json[] {
  if (!schema) return [];
  return Object.entries(schema.properties as Record<string, TSchema & { description?: string }>).map(
    ([name, part]) => ({
      name,
      in: place,
      required: place === 'path',
      description: part.description ?? name,
      schema: reference(part),
    }),
  );
}

function describeError({ description, example, headers: more = [] }: ErrorAnswer): JsonObject {
  return {
    description,
    headers: headerReferences([...always, ...more]),
    content: {
      'application/json': {
        schema: reference(errorShape),
        example: { ...example, requestId: '6f1c1d0e-0f3c-4b0e-9a53-6a4f2f9f6b1d' },
      },
    },
  };
}

function header(description: string, type = 'integer'): JsonObject {
  return { description, schema: { type } };
}

function headerReferences(names: string[]): JsonObject {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

/** The schema, or a pointer to the component that it is. */
function reference(schema: unknown): Json {
  const name = Object.keys(components).find((key) => components[key] === schema);
  return name ? { $ref: `#/components/schemas/${name}` } : inline(schema);
}

function inline(schema: unknown): Json {
  if (Array.isArray(schema)) return schema.map(reference);
  if (typeof schema !== 'object' || schema === null) return schema as Json;
  return Object.fromEntries(Object.entries(schema).map(([key, part]) => [key, reference(part)]));
}
