import type { TObject, TSchema } from 'typebox';
import { AppError, type FieldError, invalid } from '../../errors.ts';
import { Type } from '../../schema.ts';

/**
 * A field that was renamed: requests may use its former name until the next release. The schema of a request has the former
 * name as a property of its own, which is moved to the new one before anything is checked.
 */
export const formerName = (schema: TSchema, name: string) =>
  Type.Optional(
    Type.Unsafe<never>({
      ...schema,
      deprecated: true,
      description: `The former name of \`${name}\`, accepted in its place until the next release.`,
      'x-renamed-to': name,
    }),
  );

/** The same for a response, which has both. */
export const formerField = <Schema extends TSchema>(schema: Schema, name: string): Schema => ({
  ...schema,
  deprecated: true,
  description: `The former name of \`${name}\`, sent beside it until the next release.`,
});

/** A request body with its current names, and how the client called them. */
export interface RenamedBody {
  body: unknown;
  /** Former names that were sent, by the current one. */
  sent: Map<string, string>;
  errors: FieldError[];
}

/** Made once per operation. */
export function createRenaming(schema: TObject | undefined): (body: unknown) => RenamedBody {
  const former = Object.entries(
    (schema?.properties ?? {}) as Record<string, { 'x-renamed-to'?: string }>,
  ).flatMap(([name, { 'x-renamed-to': current }]) => (current === undefined ? [] : [{ name, current }]));
  return (body) => {
    const sent = new Map<string, string>();
    const errors: FieldError[] = [];
    if (former.length === 0 || typeof body !== 'object' || body === null || Array.isArray(body))
      return { body, sent, errors };
    const fields: Record<string, unknown> = { ...body };
    for (const { name, current } of former) {
      if (!Object.hasOwn(fields, name)) continue;
      if (Object.hasOwn(fields, current)) {
        errors.push({ field: name, message: `must not be sent together with ${current}, its new name` });
      } else {
        fields[current] = fields[name];
        sent.set(current, name);
      }
      delete fields[name];
    }
    return { body: fields, sent, errors };
  };
}

/** One per former name that was sent. */
export function renamingWarnings(sent: Map<string, string>): string[] {
  return [...sent].map(
    ([current, name]) =>
      `${name} is now called ${current}. The former name is accepted until the next release.`,
  );
}

/** The error with the names that the client sent. */
export function inSentNames(error: unknown, sent: Map<string, string>): unknown {
  if (sent.size === 0 || !(error instanceof AppError) || !error.details) return error;
  const details = error.details.map(({ field, message }) => {
    const [start = ''] = /^\w*/.exec(field) ?? [];
    return { field: `${sent.get(start) ?? start}${field.slice(start.length)}`, message };
  });
  return invalid(details, { ...(error.reason !== undefined && { code: error.reason }) });
}
