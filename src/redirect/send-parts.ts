import type { ServerResponse } from 'node:http';
import { createConcurrencyLimit } from '../accounts/concurrency-limit.ts';
import { createKeyedLimit } from '../accounts/keyed-limit.ts';
import { partsBetween } from '../codes/files/read-chunks.ts';
import type { ServedFiles } from '../codes/files/served-files.ts';
import type { ByteRange } from '../http/byte-range.ts';

/** Each holds one chunk at most: 25 MB together. */
const maxResponses = 200;
/** A slow client must not keep others from their files; many guests may share an address. */
const maxPerClient = 100;
const noWaiting = { maxWaiting: 0, maxWaitMs: 0 };
/** A file of 10 MB at 20 KB a second. Who reads nothing is disconnected much earlier, like every client. */
const maxResponseMs = 10 * 60_000;
/** Of the connections to the database, which share links need too. */
const readLimits = { concurrency: 3, maxWaiting: maxResponses, maxWaitMs: 10_000 };

export class BusyFilesError extends Error {
  override name = 'BusyFilesError';
}

/** Sends a range of a file. `start` writes the head, once it is certain that bytes follow. */
type SendParts = (
  res: ServerResponse,
  client: string,
  fileId: string,
  range: ByteRange,
  start: () => void,
) => Promise<void>;

/** Reads the next part when the client has taken the last one. */
export function createPartSender({ readPart }: Pick<ServedFiles, 'readPart'>): SendParts {
  const reading = createConcurrencyLimit(readLimits);
  const responses = createConcurrencyLimit({ concurrency: maxResponses, ...noWaiting });
  const ofClients = createKeyedLimit({ concurrency: maxPerClient, ...noWaiting });

  async function read(fileId: string, part: Parameters<typeof readPart>[1]): Promise<Buffer | undefined> {
    const release = await reading.acquire();
    if (!release) throw new BusyFilesError('Too many files are being read');
    return readPart(fileId, part).finally(release);
  }

  async function send(res: ServerResponse, fileId: string, range: ByteRange, start: () => void) {
    const endsAt = performance.now() + maxResponseMs;
    for (const part of partsBetween(range.start, range.end)) {
      const data = await read(fileId, part);
      if (res.destroyed) return;
      // Replaced or deleted meanwhile: the client must not take what it has for the whole.
      if (data?.length !== part.length || performance.now() > endsAt) {
        if (!res.headersSent) throw new BusyFilesError('The file was replaced');
        res.destroy();
        return;
      }
      if (!res.headersSent) start();
      if (!res.write(data)) await drained(res);
      if (res.destroyed) return;
    }
    res.end();
  }

  return async (res, client, fileId, range, start) => {
    const leaveClient = await ofClients.acquire(client);
    const leave = leaveClient && (await responses.acquire());
    try {
      if (!leave) throw new BusyFilesError('Too many files are being sent');
      await send(res, fileId, range, start);
    } finally {
      leave?.();
      leaveClient?.();
    }
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
