import type { ServerResponse } from 'node:http';
import { setImmediate } from 'node:timers/promises';
import { partsBetween } from '../codes/files/stored-file.ts';
import type { ServedFiles } from '../codes/files/served-files.ts';
import type { ByteRange } from '../http/file-headers.ts';
import { BusyError } from '../errors.ts';
import { type Caller, createFairScheduler } from '../runtime/fair-scheduler.ts';

/** A file of 10 MB at 20 KB a second. Who reads nothing is disconnected much earlier, like every client. */
const maxResponseMs = 10 * 60_000;

/** Sends a range of a file. `start` writes the head, once it is certain that bytes follow. */
type SendParts = (
  res: ServerResponse,
  client: string,
  fileId: string,
  range: ByteRange,
  start: () => void,
) => Promise<void>;

/** Reads the next part when the client has taken the last one. Clients take turns. */
export function createPartSender({ readPart }: Pick<ServedFiles, 'readPart'>): SendParts {
  // Each holds one chunk of ours, and megabytes in the buffers of the system if its client does not read. Guests of a
  // restaurant share an address: they wait for each other.
  const responses = createFairScheduler({
    slots: 100,
    slotsPerKey: 20,
    reservedSlots: 50,
    waitingPerKey: 100,
    waiting: 500,
    maxWaitMs: 10_000,
  });
  // Share links use the same database connections. Parsing a chunk takes the event loop a millisecond.
  const reading = createFairScheduler({ slots: 2, waitingPerKey: 20, waiting: 100 });

  async function send(
    res: ServerResponse,
    client: Caller,
    fileId: string,
    range: ByteRange,
    start: () => void,
  ): Promise<void> {
    const endsAt = performance.now() + maxResponseMs;
    for (const part of partsBetween(range.start, range.end)) {
      const data = await reading.run(client, () => readPart(fileId, part));
      if (res.destroyed) return;
      // Replaced or deleted meanwhile: the client must not take what it has for the whole.
      if (data?.length !== part.length || performance.now() > endsAt) {
        if (!res.headersSent) throw new BusyError('The file was replaced.', { retryAfterSeconds: 5 });
        res.destroy();
        return;
      }
      if (!res.headersSent) start();
      if (!res.write(data)) await drained(res);
      // A part that the system takes at once is drained in the same turn of the event loop. Other requests go on in between.
      await setImmediate();
      if (res.destroyed) return;
    }
    res.end();
  }

  return async (res, key, fileId, range, start) => {
    const gone = new AbortController();
    res.once('close', () => gone.abort());
    const client: Caller = { key, signal: gone.signal };
    await responses.run(client, () => send(res, client, fileId, range, start));
  };
}

function drained(res: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      res.off('drain', done);
      res.off('close', done);
      resolve();
    };
    res.once('drain', done);
    res.once('close', done);
  });
}
