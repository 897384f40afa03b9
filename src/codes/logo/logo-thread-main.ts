import { parentPort, workerData } from 'node:worker_threads';
import { lowerThreadPriority } from '../../runtime/low-priority.ts';
import { LogoError } from './logo-limits.ts';
import { normalizeLogo } from './normalize-logo.ts';

lowerThreadPriority();

/** A PNG of our own, or what is wrong with the file. */
export type LogoResult = { png: Uint8Array } | { problem: string };

const result: LogoResult = await normalizeLogo(Buffer.from(workerData as Uint8Array)).then(
  // A copy: a Buffer may share its memory with others.
  (png) => ({ png: new Uint8Array(png) }),
  (error: unknown) => {
    if (error instanceof LogoError) return { problem: error.message };
    throw error;
  },
);
// oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
parentPort?.postMessage(result);
