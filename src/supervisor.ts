import type { ChildProcess } from 'node:child_process';
import { SetupError } from './errors.ts';
import type { Log } from './telemetry/log.ts';

const firstDelayMs = 500;
const longestDelayMs = 30_000;
/** One that ran this long was well; the next delay is the first again. */
const wellAfterMs = 60_000;

export interface KeptProcess {
  /** Rejected where the process ends before it was ever ready: then it is not tried again. */
  ready: Promise<void>;
  /** Ends it now and starts a new one. */
  renew(): void;
  stop(): Promise<void>;
}

/** Starts a process and, once it was ready, starts it again whenever it dies, with a growing delay. */
export function keepRunning(name: string, start: () => ChildProcess, log: Log): KeptProcess {
  let child = start();
  let stopping = false;
  let renewing = false;
  let everReady = false;
  let delayMs = firstDelayMs;
  let startedAt = Date.now();
  let pause: NodeJS.Timeout | undefined;
  let ended: (() => void) | undefined;
  const { promise: ready, resolve, reject } = withResolvers();

  function watch(): void {
    startedAt = Date.now();
    child.on('message', (message) => {
      if (message !== 'ready') return;
      everReady = true;
      resolve();
    });
    child.once('error', reject);
    child.once('exit', (code, signal) => {
      if (stopping) return ended?.();
      if (!everReady)
        return reject(new SetupError(`The ${name} process ended before it was ready (${signal ?? code}).`));
      if (Date.now() - startedAt > wellAfterMs) delayMs = firstDelayMs;
      const waitMs = renewing ? 0 : delayMs;
      if (!renewing) {
        log.error({ code, signal, waitMs }, `the ${name} process ended; starting it again`);
        delayMs = Math.min(longestDelayMs, delayMs * 2);
      }
      renewing = false;
      pause = setTimeout(() => {
        pause = undefined;
        child = start();
        watch();
      }, waitMs);
    });
  }
  watch();

  return {
    ready,
    renew() {
      renewing = true;
      child.kill('SIGTERM');
    },
    stop() {
      stopping = true;
      clearTimeout(pause);
      return new Promise((done) => {
        if (pause || child.exitCode !== null || child.signalCode !== null) return done();
        ended = done;
        child.kill('SIGTERM');
      });
    },
  };
}

function withResolvers(): { promise: Promise<void>; resolve: () => void; reject: (reason: unknown) => void } {
  let resolve: () => void = () => undefined;
  let reject: (reason: unknown) => void = () => undefined;
  const promise = new Promise<void>((yes, no) => {
    resolve = yes;
    reject = no;
  });
  return { promise, resolve, reject };
}
