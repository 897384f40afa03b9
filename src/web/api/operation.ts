import type { Static, TObject, TSchema } from 'typebox';
import type { Config } from '../../config.ts';
import type { FieldError } from '../../errors.ts';
import type { Database } from '../../store/database.ts';

/** What an operation works with; made once, in the web process. */
export interface ApiServices {
  db: Database;
  config: Config;
  now: () => Date;
  /** Told the share token of a code that was changed or deleted. */
  codeChanged(shareToken: string): void;
}

/** Rules that a schema cannot express, for the fields that passed it; `bad` names those that did not. */
export type BodyRules<Body = object> = (fields: Partial<Body>, bad: Set<string>) => Promise<FieldError[]>;

/** What an operation is asked, parsed and valid. */
interface ApiRequest<Params, Query, Body> {
  ownerId: string;
  params: Params;
  query: Query;
  /**
   * The body, held against its schema and, for the fields that passed, against rules of the operation's own. Every
   * error of both kinds is in the one error.
   */
  body(rules?: BodyRules<Body>): Promise<Body>;
  /** Sent along with the answer, each in a Qrelay-Warning header: it was done, but may not be what is wanted. */
  warn(warnings: string[]): void;
}

export type ApiTag = 'QR codes' | 'Scans';

/** One operation of the interface: its route, its schemas and what it does, said once. */
interface OperationOf<Params extends TObject, Query extends TObject, Body extends TObject, Answer> {
  id: string;
  method: 'get' | 'post' | 'patch' | 'delete';
  /** Below the version prefix, with parameters in braces. */
  path: string;
  /** The group that it is listed in. */
  tag: ApiTag;
  summary: string;
  description: string;
  params?: Params;
  query?: Query;
  body?: Body;
  bodyExample?: Static<Body>;
  /** For fields that a client may well try to send: what to do instead. */
  otherFields?: Record<string, string>;
  success: {
    status: number;
    description: string;
    schema?: TSchema;
    example?: Answer;
    /** Headers that come where there is cause. */
    optionalHeaders?: string[];
  };
  handle(
    request: ApiRequest<Static<Params>, Static<Query>, Static<Body>>,
    services: ApiServices,
  ): Promise<Answer>;
}

// An operation in a list is called with what its own schemas let through.
// oxlint-disable-next-line typescript/no-explicit-any
export type Operation = OperationOf<any, any, any, any>;

export function operation<Params extends TObject, Query extends TObject, Body extends TObject, Answer>(
  definition: OperationOf<Params, Query, Body, Answer>,
): Operation {
  return definition;
}
