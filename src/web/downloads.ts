import { Readable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { type Caller, createFairScheduler } from '../runtime/fair-scheduler.ts';
import type { AccessWatch, WatchedAccess } from './access-watch.ts';

/** Whoever downloads, and the access that they need until the end. */
export interface Downloader extends Caller {
  access: WatchedAccess;
}

/**
 * Large responses of workspaces: labels, archives, CSV. Each is made while it is sent, and no longer than its client reads and may
 * read it.
 */
export interface Downloads {
  /** Calls `make` when it is the turn of the caller, so that what it loads is held by few. */
  stream(caller: Downloader, make: () => Promise<AsyncIterable<Buffer | string>>): Promise<Readable>;
  /** Reads the next part of one from the database, with few of the connections that all pages share. */
  read<Value>(caller: Caller, read: () => Promise<Value>): Promise<Value>;
}

export function createDownloads(watch: AccessWatch['watch']): Downloads {
  const responses = createFairScheduler({
    slots: 64,
    slotsPerKey: 2,
    reservedSlots: 32,
    waitingPerKey: 20,
    waiting: 200,
    maxWaitMs: 10_000,
    message: 'Too many files are being made. Try again shortly.',
  });
  const reading = createFairScheduler({ slots: 3, waitingPerKey: 4, waiting: 200 });

  return {
    async stream(caller, make) {
      const lost = new AbortController();
      const unwatch = watch(caller.access, () => lost.abort());
      const signal = AbortSignal.any([lost.signal, ...(caller.signal ? [caller.signal] : [])]);
      let release: (() => void) | undefined;
      const end = () => {
        unwatch();
        release?.();
      };
      try {
        release = await responses.acquire({ ...caller, signal });
        // Counted in bytes: as objects, many pages would be drawn ahead.
        const body = Readable.from(partByPart(await make()), { objectMode: false });
        body.once('close', end);
        if (signal.aborted) body.destroy();
        else signal.addEventListener('abort', () => body.destroy(), { once: true });
        return body;
      } catch (error) {
        end();
        throw error;
      }
    },
    read: (caller, read) => reading.run(caller, read),
  };
}

/** Parts that are already in memory would otherwise follow each other without a turn of the event loop for anybody else. */
async function* partByPart<Part>(parts: AsyncIterable<Part>): AsyncGenerator<Part> {
  for await (const part of parts) {
    yield part;
    await setImmediate();
  }
}
