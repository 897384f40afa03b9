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
      description: 'What went wrong, as a fixed code for your program.',
    }),
    message: Type.String({ description: 'What went wrong, as a sentence for people.' }),
    details: Type.Optional(
      Type.Array(Type.Object({ field: Type.String(), message: Type.String() }, closed), {
        description: 'Only for validation errors: every invalid field, and why.',
      }),
    ),
    requestId: Type.String({
      description: 'The same as the `X-Request-Id` header. Quote it when you ask for help.',
    }),
  },
  { ...closed, description: 'What every error response contains.' },
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
  'X-RateLimit-Limit': header('Requests allowed within one hour.'),
  'X-RateLimit-Remaining': header('Requests left right now.'),
  'X-RateLimit-Reset': header(
    'A Unix time in seconds. After a 429: when you can try again. Otherwise: when the oldest request of the last hour stops counting.',
  ),
  'X-Request-Id': header('The identifier of this request in our logs.', 'string'),
  'Retry-After': header('Seconds to wait before you try again.'),
  'WWW-Authenticate': header('Always `Bearer`.', 'string'),
  Allow: header('The methods that this path accepts.', 'string'),
  'Qrelay-Warning': {
    ...header(
      'Why phones may have trouble reading the picture, and what to change, in a sentence without a comma. Sent once for each reason, and not at all if there is none.',
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
    description: 'The body or a parameter is invalid. `details` lists every invalid field.',
    example: {
      error: 'validation_error',
      message: 'size must be at most 2048.',
      details: [{ field: 'size', message: 'must be at most 2048' }],
    },
  },
  401: {
    name: 'InvalidApiKey',
    description: 'The API key is missing, revoked or malformed.',
    example: {
      error: 'invalid_api_key',
      message: 'A valid API key is needed: send the header Authorization: Bearer <API_KEY>.',
    },
    headers: ['WWW-Authenticate'],
  },
  404: {
    name: 'NotFound',
    description: 'The QR code does not exist or is not yours.',
    example: { error: 'not_found', message: 'There is no such QR code.' },
  },
  405: {
    name: 'MethodNotAllowed',
    description: 'This path does not accept this method.',
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
    description: 'The body is not sent as JSON, or in an unknown encoding.',
    example: {
      error: 'validation_error',
      message: 'The body must be JSON: send the header Content-Type: application/json.',
    },
  },
  429: {
    name: 'RateLimited',
    description: `Hourly quota exceeded: ${hourlyQuota.free} requests per key on Free, ${hourlyQuota.pro} on Pro, ${anonymousHourlyQuota} per IP address without a valid key. Wait until the time in \`X-RateLimit-Reset\`.`,
    example: {
      error: 'rate_limited',
      message: 'The limit of 20 requests an hour is used up. Try again in 1260 seconds.',
    },
    headers: ['Retry-After'],
  },
  500: {
    name: 'InternalError',
    description: 'Something went wrong on our side. Try again later.',
    example: { error: 'internal_error', message: 'Something went wrong on our side. Try again later.' },
  },
  503: {
    name: 'Unavailable',
    description: 'The service is unavailable for a moment. Try again after the time in `Retry-After`.',
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
      summary:
        'Create QR codes that you can change after printing, and see when, where and on what they were scanned.',
      description:
        'Send your API key with every request. Every response tells you how many requests you have left, and every error has the same format. Bodies are JSON.',
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
            'Create a key on the page API Keys (/keys); it is shown only once. Whoever runs the service can also create one with `qrelay key create`. Rate limits are counted per key.',
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
