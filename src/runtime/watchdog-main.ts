import { writeSync } from 'node:fs';
import { workerData } from 'node:worker_threads';
import { watchLiveness } from './heartbeat.ts';

/** What `startWatchdog` passes to this thread. */
export interface WatchdogData {
  /** A shared counter that the process increments while its event loop runs. */
  beats: Int32Array;
  limitMs: number;
}

const { beats, limitMs } = workerData as WatchdogData;

const liveness = watchLiveness({
  limitMs,
  onHang() {
    // Written directly, because the log belongs to the blocked thread.
    const msg = `the event loop was blocked for ${limitMs / 1000} s; killing the process so that it is restarted`;
    writeSync(2, `${JSON.stringify({ level: 60, time: Date.now(), pid: process.pid, msg })}\n`);
    process.kill(process.pid, 'SIGKILL');
  },
});

let last = 0;
setInterval(() => {
  const now = Atomics.load(beats, 0);
  if (now !== last) liveness.heartbeat();
  last = now;
}, 500);
