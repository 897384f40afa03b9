import type { Static, TSchema } from 'typebox';
import type { FieldError } from '../../errors.ts';
import { Type } from '../../schema.ts';

/** Parts that several schemas share. `x-expects` completes the message "must be …" where a pattern or format fails. */

export const id = (description: string) => Type.String({ format: 'uuid', description });

export const timestamp = (description: string) =>
  Type.String({
    format: 'date-time',
    description,
    'x-expects': 'an ISO 8601 timestamp, such as 2027-01-31T12:00:00.000Z',
  });

/** Postgres cannot store NUL characters and lone surrogates. */
export const text = (description: string, bounds: { maxLength?: number } = {}) =>
  Type.String({
    minLength: 1,
    ...bounds,
    description,
    format: 'text',
    'x-expects': 'text without NUL characters or lone surrogates',
  });

export const maxLabelLength = 100;

/** A name or label: one line with a visible character, and nothing that spoofs other text. */
export const label = (description: string, maxLength = maxLabelLength) =>
  Type.String({
    minLength: 1,
    maxLength,
    description,
    format: 'label',
    'x-expects':
      'one line of text with a visible character, and without control characters, bidirectional overrides or lone surrogates',
  });

export const color = (description: string) =>
  Type.String({
    pattern: '^#[0-9a-fA-F]{6}$',
    description,
    'x-expects': 'a hex color in the format #RRGGBB',
  });

/** With its type: client generators treat a bare `enum` as any type. */
export const choice = <Value extends string>(values: readonly Value[], description: string) =>
  Type.Enum([...values], { type: 'string', description });

/** One schema with two types instead of `anyOf`, where client generators miss the description. */
export const nullable = <Schema extends TSchema & { type: string }>(schema: Schema) =>
  Type.Unsafe<Static<Schema> | null>({ ...schema, type: [schema.type, 'null'] });

/** For request bodies only: responses may get new fields. */
export const closed = { additionalProperties: false } as const;

export const cursor = (description: string) =>
  Type.String({ format: 'uuid', description, 'x-expects': 'the nextCursor of an earlier page' });

/** How many, for lists of which an account has few: without it, all are on one page. */
export const fewLimit = (what: string) =>
  Type.Optional(
    Type.Integer({ minimum: 1, maximum: 100, default: 100, description: `Number of ${what} on a page.` }),
  );

/** The half-open interval of a list: `from` is in it, `to` is not. */
export const period = (happened: string) => ({
  from: Type.Optional(timestamp(`Only what was ${happened} at this time or later.`)),
  to: Type.Optional(timestamp(`Only what was ${happened} before this time.`)),
});

export function periodRules({ from, to }: { from?: unknown; to?: unknown }): FieldError[] {
  const [start, end] = [Date.parse(String(from)), Date.parse(String(to))];
  return end <= start ? [{ field: 'to', message: 'must be after from' }] : [];
}

/** The times of a query that has passed. */
export function periodOf({ from, to }: { from?: string; to?: string }): { from?: Date; to?: Date } {
  return {
    ...(from !== undefined && { from: new Date(from) }),
    ...(to !== undefined && { to: new Date(to) }),
  };
}

export const pageOf = <Item extends TSchema>(item: Item, description: string) =>
  Type.Object(
    {
      data: Type.Array(item, { description: 'The entries of this page.' }),
      nextCursor: nullable(id('Send it as `cursor` to get the next page. Null on the last page.')),
    },
    { description },
  );

/** Removes the extra item that shows that there is a next page. */
export function toPage<Item extends { id: string }, Shown>(
  items: Item[],
  limit: number,
  present: (item: Item) => Shown,
): { data: Shown[]; nextCursor: string | null } {
  const shown = items.slice(0, limit);
  return {
    data: shown.map(present),
    nextCursor: items.length > limit ? (shown.at(-1)?.id ?? null) : null,
  };
}
