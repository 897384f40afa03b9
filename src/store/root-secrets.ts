import { hkdfSync } from 'node:crypto';
import { SetupError } from '../errors.ts';
import type { Database } from './database.ts';

/** Stands in QRELAY_SECRET for the secret that the first migration made in the database. */
export const databaseSecret = 'database';
/** More fingerprints than this would not fit into an application name. */
const maxSecrets = 3;

/** What is wrong with the list in QRELAY_SECRET, to follow its name. Does not repeat any of it. */
export function rootSecretsError(secrets: readonly string[]): string | undefined {
  if (secrets.some((secret) => secret !== databaseSecret && !/^[!-~]{32,}$/.test(secret)))
    return 'must be one or more secrets separated by commas, each at least 32 ASCII characters without spaces, or the word database; `qrelay secret generate` generates one';
  if (secrets.length > maxSecrets) return `must have at most ${maxSecrets} secrets`;
  if (new Set(secrets).size < secrets.length) return 'must not have the same secret twice';
  return undefined;
}

/**
 * The root secrets in the order of QRELAY_SECRET. The one in the database comes last unless it is listed: what was made
 * with it before QRELAY_SECRET was set stays valid.
 */
export function rootSecretsOf(
  stored: Buffer | undefined,
  configured: readonly string[],
): [Buffer, ...Buffer[]] {
  const listed = configured.includes(databaseSecret) ? configured : [...configured, databaseSecret];
  const roots = listed.flatMap((secret) => {
    if (secret !== databaseSecret) return [Buffer.from(secret)];
    return stored ? [stored] : [];
  });
  const [first, ...others] = roots;
  if (!first || (configured[0] === databaseSecret && !stored))
    throw new SetupError(
      'The database has no root secret any more. Set QRELAY_SECRET to the one that the other processes have.',
    );
  return [first, ...others];
}

/** Undefined if it was removed. */
export async function readStoredSecret(db: Database): Promise<Buffer | undefined> {
  const row = (await db('service_secrets').where({ name: 'root' }).first('value')) as
    | { value: Buffer }
    | undefined;
  return row?.value;
}

export async function removeStoredSecret(db: Database): Promise<boolean> {
  return (await db('service_secrets').where({ name: 'root' }).delete()) > 0;
}

export function deriveKey(root: Uint8Array, purpose: string): Buffer {
  return Buffer.from(hkdfSync('sha256', root, '', purpose, 32));
}

/** Tells secrets apart, and says nothing about them. */
export function fingerprintOf(root: Uint8Array): string {
  return deriveKey(root, 'fingerprint').toString('hex', 0, 4);
}

/** For each secret of QRELAY_SECRET its fingerprint, or the word that stands for the one in the database. */
export function secretLabels(configured: readonly string[]): string[] {
  return configured.map((secret) =>
    secret === databaseSecret ? databaseSecret : fingerprintOf(Buffer.from(secret)),
  );
}
