import { createHash } from 'node:crypto';

export interface PreparedStatement {
  name: string;
  /** With `$1`, `$2` … for the values. */
  text: string;
}

/** Of the connections that a pooler in transaction mode hands out, one has what another of ours prepared, or has it not. */
const preparedElsewhere = new Set(['42P05', '26000']);
const poolsBehindPoolers = new WeakSet<object>();
/** By text: the statements of a release are few. */
const names = new Map<string, string>();

/** As pg wants it: with a name where the connection may keep it prepared. */
export function asPrepared(pool: object, { name, text }: PreparedStatement): { name?: string; text: string } {
  if (poolsBehindPoolers.has(pool)) return { text };
  let fullName = names.get(text);
  if (!fullName) {
    // Another release may have another statement of this name, on a connection that a pooler then gives to us.
    fullName = `${name} ${createHash('sha256').update(text).digest('hex').slice(0, 8)}`;
    names.set(text, fullName);
  }
  return { name: fullName, text };
}

/**
 * Whether the statement failed only because of a pooler between us and the server: it was not run, and can be sent again.
 * From then on nothing is kept prepared on this pool.
 */
export function isPreparedElsewhere(pool: object, sqlState: string | undefined): boolean {
  if (!sqlState || !preparedElsewhere.has(sqlState)) return false;
  poolsBehindPoolers.add(pool);
  return true;
}
