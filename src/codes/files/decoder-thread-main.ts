import { parentPort, workerData } from 'node:worker_threads';
import { currentThread, lowerThreadPriority } from '../../runtime/thread-cpu.ts';
import { normalizeImage, normalizeLogo, normalizePhoto } from './normalize-image.ts';
import { ImageError } from './upload.ts';

lowerThreadPriority({ isTimed: true });

const normalizers = { logo: normalizeLogo, image: normalizeImage, photo: normalizePhoto };

export interface DecoderRequest {
  purpose: keyof typeof normalizers;
  file: Uint8Array;
}

export type DecoderResult = { file: Uint8Array } | { error: string };

/** The id of the thread, then its result. */
export type DecoderMessage = { thread: string | undefined } | DecoderResult;

// oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
const send = (message: DecoderMessage) => parentPort?.postMessage(message);

send({ thread: currentThread() });
const { purpose, file } = workerData as DecoderRequest;
const result: DecoderResult = await normalizers[purpose](Buffer.from(file)).then(
  // Copied, because a Buffer may share its memory.
  (normalized) => ({ file: new Uint8Array(normalized) }),
  (error: unknown) => {
    if (error instanceof ImageError) return { error: error.message };
    throw error;
  },
);
send(result);
