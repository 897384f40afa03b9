import { timingSafeEqual } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Database } from '../store/database.ts';
import type { ParsedApiKey } from './api-key-format.ts';

const pauseMs = 100;
const mostAtOnce = 1_000;
const mostRemembered = 10_000;

/** Tells whether a key is valid without a write, and with few reads however many keys are asked for. */
export interface KeyLookup {
  isValid(key: ParsedApiKey): Promise<boolean>;
  /** For a key that was refused: it is not asked for again. */
  markInvalid(key: ParsedApiKey): void;
}

interface Waiting {
  key: ParsedApiKey;
  answers: { resolve(isValid: boolean): void; reject(error: unknown): void }[];
}

/**
 * Keys that arrive together are looked up together, by one statement at a time and one in 100 ms. A key that is unknown or
 * revoked never becomes valid, so the answer holds; one that was valid is asked about again wherever it is used.
 */
export function createKeyLookup(db: Database): KeyLookup {
  const valid = new LRUCache<string, true>({ max: mostRemembered });
  const invalid = new LRUCache<string, true>({ max: mostRemembered });
  const waiting = new Map<string, Waiting>();
  let isBusy = false;
  let lastAt = -pauseMs;

  function schedule(): void {
    if (isBusy || waiting.size === 0) return;
    isBusy = true;
    setTimeout(
      () => {
        lastAt = performance.now();
        const batch = [...waiting].slice(0, mostAtOnce);
        for (const [name] of batch) waiting.delete(name);
        void answer(batch).finally(() => {
          isBusy = false;
          schedule();
        });
      },
      Math.max(0, lastAt + pauseMs - performance.now()),
    );
  }

  async function answer(batch: [string, Waiting][]): Promise<void> {
    try {
      const rows = (await db('api_keys')
        .whereIn(
          'prefix',
          batch.map(([, { key }]) => key.prefix),
        )
        .whereNull('revoked_at')
        .select('prefix', 'secret_hash')) as { prefix: string; secret_hash: Buffer }[];
      const hashes = new Map(rows.map(({ prefix, secret_hash }) => [prefix, secret_hash]));
      for (const [name, { key, answers }] of batch) {
        const hash = hashes.get(key.prefix);
        const isValid = hash !== undefined && timingSafeEqual(hash, key.secretHash);
        (isValid ? valid : invalid).set(name, true);
        for (const { resolve } of answers) resolve(isValid);
      }
    } catch (error) {
      for (const [, { answers }] of batch) for (const { reject } of answers) reject(error);
    }
  }

  return {
    async isValid(key) {
      const name = nameOf(key);
      if (valid.has(name)) return true;
      if (invalid.get(name)) return false;
      return new Promise((resolve, reject) => {
        const asked = waiting.get(name) ?? { key, answers: [] };
        asked.answers.push({ resolve, reject });
        waiting.set(name, asked);
        schedule();
      });
    },
    markInvalid(key) {
      valid.delete(nameOf(key));
      invalid.set(nameOf(key), true);
    },
  };
}

export function nameOf({ prefix, secretHash }: ParsedApiKey): string {
  return `${prefix} ${secretHash.toString('base64')}`;
}
