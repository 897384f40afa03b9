import { scrypt } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { type Database, isDatabaseUnavailable } from '../store/database.ts';
import { readKnownFile, writeKnownFile } from '../store/known-files.ts';
import type { Replica } from '../store/replicas.ts';
import { readStoredSecret } from '../store/root-secrets.ts';
import { sealText, unsealText } from './secrets.ts';

const version = 1;
const purpose = 'root-secret';
const deriveKey = promisify(scrypt) as (password: string, salt: string, length: number) => Promise<Buffer>;

/** The root secret of the database. `secret` is undefined if it was removed there. */
export interface FoundSecret {
  secret: Buffer | undefined;
  from: 'primary' | 'replica' | 'disk';
}

interface KnownSecretOptions {
  dataDir: string;
  databaseUrl: string;
  db: Database;
  replicas: readonly Replica[];
}

export interface KnownSecret {
  /**
   * From the primary; while it is away, from a replica or the copy on the disk. Undefined if none of them has it. Rejects
   * with an error that only the operator can fix; one of a primary that is away is passed to `onAway`.
   */
  find(onAway?: (error: unknown) => void): Promise<FoundSecret | undefined>;
  /** Keeps a copy for a start without the database. */
  save(secret: Buffer | undefined): Promise<void>;
}

/**
 * The copy is encrypted with a key derived from DATABASE_URL: whoever has that can read the secret from the database, and
 * the disk alone shows nothing.
 */
export function createKnownSecret({ dataDir, databaseUrl, db, replicas }: KnownSecretOptions): KnownSecret {
  const path = join(dataDir, 'known', purpose);
  let derived: Promise<string> | undefined;
  const key = () => {
    derived ??= deriveKey(databaseUrl, purpose, 32).then((bytes) => bytes.toString('base64'));
    return derived;
  };

  async function readCopy(): Promise<FoundSecret | undefined> {
    const sealed = await readKnownFile(path, version);
    if (sealed === undefined) return undefined;
    try {
      const text = unsealText(Buffer.from(sealed, 'base64'), await key(), purpose);
      return { secret: text === '' ? undefined : Buffer.from(text, 'base64'), from: 'disk' };
    } catch {
      // It was written with another DATABASE_URL.
      return undefined;
    }
  }

  return {
    async find(onAway) {
      try {
        return { secret: await readStoredSecret(db), from: 'primary' };
      } catch (error) {
        if (!isDatabaseUnavailable(error)) throw error;
        onAway?.(error);
      }
      try {
        const secret = await Promise.any(replicas.map((replica) => readStoredSecret(replica.db)));
        return { secret, from: 'replica' };
      } catch {
        return readCopy();
      }
    },
    async save(secret) {
      const text = secret?.toString('base64') ?? '';
      const before = await readCopy();
      if (before && (before.secret?.toString('base64') ?? '') === text) return;
      await mkdir(dirname(path), { recursive: true, mode: 0o700 });
      await writeKnownFile(path, version, sealText(text, await key(), purpose).toString('base64'));
    },
  };
}
