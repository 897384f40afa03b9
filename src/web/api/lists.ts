import type { Static, TObject, TSchema } from 'typebox';
import type { FieldError } from '../../errors.ts';
import { uuid, nullable, timestamp, Type } from '../../schema.ts';

/** `limit` and `cursor` of a list. `one`: what an entry is called. */
export const pageQuery = (one: string, { limit, max }: { limit: number; max: number }) => ({
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: max,
      default: limit,
      description: `Number of ${one.replace(/y$/, 'ie')}s on a page.`,
    }),
  ),
  cursor: Type.Optional(
    Type.String({
      format: 'uuid',
      description: `The \`nextCursor\` of the previous page, which is the \`id\` of its last ${one}.`,
      'x-expects': 'the nextCursor of an earlier page',
    }),
  ),
});

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
      nextCursor: nullable(uuid('Send it as `cursor` to get the next page. Null on the last page.')),
    },
    { description },
  );

/** Removes the extra item that shows that there is a next page. */
export function toPage<Item extends { id: string }, Shown>(
  items: Item[],
  limit: number,
  toShown: (item: Item) => Shown,
): { data: Shown[]; nextCursor: string | null } {
  const shown = items.slice(0, limit);
  return {
    data: shown.map(toShown),
    nextCursor: items.length > limit ? (shown.at(-1)?.id ?? null) : null,
  };
}

/** What a presenter gets: timestamps may still be dates. */
type Source<Shown> = { [Name in keyof Shown]: Shown[Name] | (string extends Shown[Name] ? Date : never) };

/** The fields of the schema, in its order, from an object that has them all. */
export function present<Shape extends TObject>(shape: Shape, source: Source<Static<Shape>>): Static<Shape> {
  const fields = Object.keys(shape.properties).map((name) => {
    const value: unknown = Reflect.get(source, name);
    return [name, value instanceof Date ? value.toISOString() : value];
  });
  return Object.fromEntries(fields) as Static<Shape>;
}
