import { startFile } from './runner.ts';

export interface WatchdogData {
  /** A shared counter that the process increments while its event loop runs. */
  beats: Int32Array;
  limitMs: number;
}

const beatEveryMs = 1_000;

/**
 * For a process without a supervisor of ours, such as one started from a Procfile: a thread that kills the process when
 * its event loop has been blocked for the limit. Platforms restart a process that has exited, but do not notice a hang.
 */
export function startWatchdog(limitMs: number): void {
  const beats = new Int32Array(new SharedArrayBuffer(4));
  setInterval(() => Atomics.add(beats, 0, 1), beatEveryMs).unref();
  const workerData: WatchdogData = { beats, limitMs };
  const watchdog = startFile(new URL('watchdog-main.js', import.meta.url), workerData);
  // The process works without the watchdog; a hang is then no longer detected.
  watchdog.on('error', (error) => process.emitWarning(`The watchdog thread failed: ${error.message}`));
  watchdog.unref();
}
