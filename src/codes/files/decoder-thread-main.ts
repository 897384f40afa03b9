import { parentPort, workerData } from 'node:worker_threads';
import { currentThread, lowerThreadPriority } from '../../runtime/thread-cpu.ts';
import { normalizeImage, normalizeLogo, normalizePhoto } from './normalize-image.ts';
import { ImageError } from './upload.ts';

lowerThreadPriority({ isTimed: true });

/** What is left of an uploaded file for each purpose. */
const normalizers = { logo: normalizeLogo, image: normalizeImage, photo: normalizePhoto };

export interface DecoderRequest {
  purpose: keyof typeof normalizers;
  file: Uint8Array;
}

/** A file of our own, or what is wrong with the given one. */
export type DecoderResult = { file: Uint8Array } | { problem: string };

/** First which thread it is, then what came out. */
export type DecoderMessage = { thread: string | undefined } | DecoderResult;

// oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
const send = (message: DecoderMessage) => parentPort?.postMessage(message);

send({ thread: currentThread() });
const { purpose, file } = workerData as DecoderRequest;
const result: DecoderResult = await normalizers[purpose](Buffer.from(file)).then(
  // A copy: a Buffer may share its memory with others.
  (normalized) => ({ file: new Uint8Array(normalized) }),
  (error: unknown) => {
    if (error instanceof ImageError) return { problem: error.message };
    throw error;
  },
);
send(result);
