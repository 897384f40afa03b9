import { Readable } from 'node:stream';
import { type Caller, createFairScheduler } from '../runtime/fair-scheduler.ts';

/** Large responses of accounts: labels, archives, CSV. Each is made while it is sent, and no longer than its client reads. */
export interface Downloads {
  /** Resolves when it is the turn of the caller. */
  stream(caller: Caller, make: () => AsyncGenerator<Buffer | string>): Promise<Readable>;
  /** Reads the next part of one from the database, with few of the connections that all pages share. */
  read<Value>(caller: Caller, read: () => Promise<Value>): Promise<Value>;
}

export function createDownloads(): Downloads {
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
      const release = await responses.acquire(caller);
      // Counted in bytes: as objects, many pages would be drawn ahead.
      const body = Readable.from(make(), { objectMode: false });
      body.once('close', release);
      caller.signal?.addEventListener('abort', () => body.destroy(), { once: true });
      return body;
    },
    read: (caller, read) => reading.run(caller, read),
  };
}
