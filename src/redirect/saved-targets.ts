import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { isShareToken } from '../codes/share-token.ts';
import { withTimeout } from '../runtime/timeout.ts';
import { dayMs, hourMs } from '../runtime/units.ts';
import { buckets, openKnownFolder } from '../store/known-files.ts';
import { packTarget, type StoredTarget, type Target, targetVersion, unpackTarget } from './target.ts';

/** 51,200 codes, usually of one block of 4 KB each. */
const maxPerBucket = 200;
const maxBytes = 32 * 1024;
/** With a disk that hangs, what is beyond this is not saved. */
const maxWaiting = 10_000;
/** Each saved target is compared with the database this often, so that what was deleted or blocked does not stay. */
const checkAllEveryMs = 6 * hourMs;
const closeTimeoutMs = 1_000;

/** The last known targets, on the disk. Used only while the database does not answer. */
export interface SavedTargets {
  /** Undefined if it was not saved. */
  read(token: string): Promise<Target | undefined>;
  /** Writes beside, one file at a time. Null: there is no such code any more. */
  save(token: string, target: Target | null): void;
  /** Passes each token to `check`, slowly. It is to call `save` with the result. */
  checkAll(check: (token: string) => Promise<unknown>): void;
  close(): Promise<void>;
}

interface SavedTargetsOptions {
  folder: string;
  baseUrl: string;
  /** Without a disk to write to, everything goes on; a restart without the database then knows less. */
  onError(error: unknown): void;
  nowMs?: () => number;
  checkEveryMs?: number;
}

interface Written {
  digest: string;
  at: number;
}

export function openSavedTargets({
  folder,
  baseUrl,
  onError,
  nowMs = () => performance.now(),
  checkEveryMs = checkAllEveryMs / buckets,
}: SavedTargetsOptions): SavedTargets {
  const files = openKnownFolder(folder, maxPerBucket);
  const written = new LRUCache<string, Written>({ max: maxPerBucket * buckets });
  const waiting = new Map<string, string | null>();
  let writing: Promise<void> | undefined;
  let timer: NodeJS.Timeout | undefined;
  let isClosed = false;

  async function writeAll(): Promise<void> {
    for (const [token, text] of waiting) {
      waiting.delete(token);
      try {
        if (text === null) await files.remove(token);
        else await files.write(token, targetVersion, text);
      } catch (error) {
        written.delete(token);
        onError(error);
      }
    }
  }

  function write(token: string, text: string | null): void {
    if (waiting.size >= maxWaiting) {
      written.delete(token);
      return;
    }
    waiting.set(token, text);
    writing ??= writeAll().finally(() => {
      writing = undefined;
    });
  }

  return {
    async read(token) {
      const text = await files.read(token, targetVersion);
      if (text === undefined) return undefined;
      const saved = JSON.parse(text) as { token: string; target: StoredTarget };
      // Where the file system ignores case, two tokens may have one file.
      return saved.token === token ? unpackTarget(saved.target, baseUrl) : undefined;
    },
    save(token, target) {
      if (!target) {
        written.delete(token);
        return write(token, null);
      }
      const text = JSON.stringify({ token, target: packTarget(target) });
      if (Buffer.byteLength(text) > maxBytes) return;
      const digest = createHash('sha1').update(text).digest('base64');
      const before = written.get(token);
      // Written again once a day: what was written longest ago is deleted first.
      if (before?.digest === digest && nowMs() - before.at < dayMs) return;
      written.set(token, { digest, at: nowMs() });
      write(token, text);
    },
    checkAll(check) {
      let bucket = Math.floor(Math.random() * buckets);
      const next = async () => {
        bucket = (bucket + 1) % buckets;
        for (const token of await files.list(bucket)) {
          if (isClosed) return;
          if (isShareToken(token)) await check(token).catch(() => undefined);
        }
      };
      const schedule = () => {
        if (isClosed) return;
        timer = setTimeout(() => void next().finally(schedule), checkEveryMs).unref();
      };
      schedule();
    },
    async close() {
      isClosed = true;
      clearTimeout(timer);
      // A disk that hangs must not delay the shutdown.
      if (writing) await withTimeout(closeTimeoutMs, writing).catch(() => undefined);
    },
  };
}
