import { type Static, type TSchema, Type } from 'typebox';

/** Parts that several schemas share. `x-expects` completes the sentence "must be …" where a pattern or format fails. */

export const id = (description: string) => Type.String({ format: 'uuid', description });

export const timestamp = (description: string) =>
  Type.String({
    format: 'date-time',
    description,
    'x-expects': 'an ISO 8601 timestamp, such as 2027-01-31T12:00:00.000Z',
  });

/** Text for people: no NUL and no half of a surrogate pair, neither of which can be stored. */
export const text = (description: string, bounds: { maxLength?: number } = {}) =>
  Type.String({
    minLength: 1,
    ...bounds,
    description,
    format: 'text',
    'x-expects': 'text without NUL characters or lone surrogates',
  });

export const longestLabel = 100;

/** A name or label: one line of text with something in it that can be seen, and nothing that disguises it. */
export const label = (description: string) =>
  Type.String({
    minLength: 1,
    maxLength: longestLabel,
    description,
    format: 'label',
    'x-expects':
      'one line of text with a visible character, and without control characters, bidirectional overrides or lone surrogates',
  });

export const colour = (description: string) =>
  Type.String({
    pattern: '^#[0-9a-fA-F]{6}$',
    description,
    'x-expects': 'a hex color in the format #RRGGBB',
  });

/** One of a few strings. With its type: generators take a bare `enum` for a value of any type. */
export const choice = <Value extends string>(values: readonly Value[], description: string) =>
  Type.Enum([...values], { type: 'string', description });

/** One schema with two types rather than `anyOf`, in which generators do not find the description. */
export const nullable = <Schema extends TSchema & { type: string }>(schema: Schema) =>
  Type.Unsafe<Static<Schema> | null>({ ...schema, type: [schema.type, 'null'] });

/** For requests only. Responses may get more fields, and clients must let them pass. */
export const closed = { additionalProperties: false } as const;

export const cursor = (description: string) =>
  Type.String({ format: 'uuid', description, 'x-expects': 'the nextCursor of an earlier page' });

/** A page of anything: `nextCursor` is null on the last one. */
export const pageOf = <Item extends TSchema>(item: Item, description: string) =>
  Type.Object(
    {
      data: Type.Array(item),
      nextCursor: nullable(id('Send it as `cursor` to get the next page. Null on the last page.')),
    },
    { description },
  );

/** Cuts the one item too many that tells of a next page. */
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
