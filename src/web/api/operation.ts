import type { Readable } from 'node:stream';
import type { Static, TObject, TSchema, TVoid } from 'typebox';
import type { Scope } from '../../accounts/key-scopes.ts';
import type { RateWindow } from '../../accounts/api-keys.ts';
import type { FieldError } from '../../errors.ts';
import type { Downloader } from '../downloads.ts';
import type { Services } from '../services.ts';
import type { BodyRules } from '../../codes/validation.ts';
import type { WorkspaceId } from '../../workspaces/workspace.ts';

/** A parsed and validated request. */
interface ApiRequest<Query, Body> {
  workspaceId: WorkspaceId;
  /** The requests of this key in the last hour. */
  rateWindow: RateWindow;
  /** For slow work and downloads. */
  caller: Downloader;
  /** Identifies the resource in the path. Empty if the path has none. */
  id: string;
  /** Another parameter in the path. */
  parameter(name: string): string;
  query: Query;
  /** Validates the body by its schema and by further rules. All errors of both are reported at once. */
  body(rules?: BodyRules<Body>): Promise<Body>;
  /** What the client called this field: it may have sent a former name. For errors. */
  sentName(field: string): string;
  /** The bytes of the body, where it is a file. */
  file(): Buffer;
  /** What the client says that the body is. */
  mediaType: string;
  /** Adds a Qrelay-Warning header per warning: the request succeeded, but the result may not be what was intended. */
  warn(warnings: string[]): void;
  /** Sets the ETag of the response, and returns the resource. A GET whose `If-None-Match` names it gets a 304. */
  versioned<Resource extends object>(resource: Resource, etag?: string): Resource;
  /** Throws a 412 where `If-Match` does not name this version: a resource or its ETag. Call it in the transaction of the change. */
  requireMatch(current: object | string): void;
}

/** One operation of the API: its route, its schemas and its handler. */
type OperationOf<Query extends TObject, Body extends TObject, Response extends TSchema> = Handling<
  ApiRequest<Static<Query>, Static<Body>>,
  Static<Response>
> & {
  id: string;
  method: 'get' | 'post' | 'put' | 'patch' | 'delete';
  /** Below the version prefix. Its parameters are `{id}` and those of `pathParameters` in openapi.ts. */
  path: string;
  /** What an API key must be allowed to do. */
  scope: Scope;
  summary: string;
  description: string;
  /** Unknown parameters are rejected. */
  query?: Query;
  /** Rules of the query that its schema cannot express. */
  queryRules?(query: Record<string, unknown>): FieldError[];
  /** A value for each parameter that is required. */
  queryExample?: Static<Query>;
  body?: Body;
  bodyExample?: Static<Body>;
  /** A request without a body is one with an empty object. */
  isBodyOptional?: true;
  /** The media types of a file that is the body. What it is, its content says. */
  fileTypes?: string[];
  /** What the body is validated with, where the handler checks the rows of a list itself. */
  checkedBody?: TObject;
  /** More than 64 KiB: few such requests are read at the same time. */
  maxBodyBytes?: number;
  /** Messages for unknown fields that clients are likely to send. */
  otherFields?: Record<string, string>;
  /** Has an ETag: GET accepts `If-None-Match`, other methods `If-Match`. */
  isVersioned?: true;
  success: {
    status: number;
    description: string;
    schema?: Response;
    example?: Static<Response>;
    /** Path of the resource in the response, by its `id`: `/qrcodes/{id}`. Every 201 has one. */
    location?: string;
    /** A file, which the handler returns as a stream instead of JSON, and the name under which it is saved. */
    file?: { type: 'application/pdf' | 'application/zip' | 'text/csv'; name: string };
    /** Headers that are not always sent. */
    optionalHeaders?: string[];
  };
};

type Handling<Request, Result> =
  | { handle(request: Request, services: Services): Promise<Result | Readable>; prepare?: never }
  | {
      /**
       * For checks that take long: returns what to do then, which may be in the transaction of an Idempotency-Key. The database
       * ends a transaction that is idle for seconds, and each one takes a connection of the pool.
       */
      prepare(request: Request, services: Services): Promise<(services: Services) => Promise<Result>>;
      handle?: never;
    };

// In a list of operations, each is only called with values that its own schemas accepted.
// oxlint-disable-next-line typescript/no-explicit-any
export type Operation = OperationOf<any, any, any>;

/** The resources of the reference, each on a page of its own. */
export type ApiTag =
  | 'QR codes'
  | 'Versions'
  | 'Bulk requests'
  | 'Designs'
  | 'Styles'
  | 'Expiry'
  | 'Share pages'
  | 'Files and photos'
  | 'Printing'
  | 'Scans and analytics'
  | 'Webhooks'
  | 'Webhook deliveries'
  | 'Audit log'
  | 'Account';
export type TaggedOperation = Operation & { tag: ApiTag };

/** Without a response schema, the handler returns nothing. */
export function operation<Query extends TObject, Body extends TObject, Response extends TSchema = TVoid>(
  definition: OperationOf<Query, Body, Response>,
): Operation {
  return definition;
}

/** Only methods that are not safe to repeat. A POST that returns a file changes nothing. A DELETE of many codes finds none of them again. */
export function acceptsIdempotencyKey({ method, body, success }: Operation): boolean {
  if (method === 'delete') return body !== undefined;
  return (method === 'post' || method === 'patch') && success.file === undefined;
}
