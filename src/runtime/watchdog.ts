import { startFile } from './thread.ts';

export interface WatchdogData {
  /** One number, which the process raises as long as its event loop turns. */
  beats: Int32Array;
  limitMs: number;
}

const beatEveryMs = 1_000;

/**
 * For a process that nobody of ours watches, as from a Procfile: a thread that kills it when its event loop has stood
 * still for the limit. Platforms replace what has ended; they do not see what hangs.
 */
export function startWatchdog(limitMs: number): void {
  const beats = new Int32Array(new SharedArrayBuffer(4));
  setInterval(() => Atomics.add(beats, 0, 1), beatEveryMs).unref();
  const workerData: WatchdogData = { beats, limitMs };
  const watchdog = startFile(new URL('watchdog-main.js', import.meta.url), workerData);
  // Without it the process works as before, and is only not watched any more.
  watchdog.on('error', (error) => process.emitWarning(`The watchdog has ended: ${error.message}`));
  watchdog.unref();
}
