import { setTimeout as sleep } from 'node:timers/promises';
import { type Backoff, createBackoff } from '../../runtime/backoff.ts';
import type { Log } from '../../telemetry/log.ts';
import { exitOf } from './programs.ts';
import type { EmbeddedPostgres } from './server.ts';

/** Starts the server again whenever it ends, with a growing delay. What is returned stops it for good. */
export function keepPostgresRunning(
  postgres: Pick<EmbeddedPostgres, 'process' | 'restart' | 'stop'>,
  log: Log,
  delays: Backoff = createBackoff(),
): () => Promise<void> {
  const stopping = new AbortController();
  const { signal } = stopping;

  async function keep(): Promise<void> {
    for (;;) {
      const startedAt = Date.now();
      await exitOf(postgres.process);
      if (signal.aborted) return;
      const { exitCode, signalCode } = postgres.process;
      log.error({ code: exitCode, signal: signalCode }, 'the embedded PostgreSQL ended; starting it again');
      await startAgain(Date.now() - startedAt);
      if (signal.aborted) return;
    }
  }

  async function startAgain(ranMs: number): Promise<void> {
    for (let lastedMs = ranMs; !signal.aborted; lastedMs = 0) {
      try {
        await sleep(delays.next(lastedMs), undefined, { signal });
        await postgres.restart(signal);
        return;
      } catch (err) {
        if (!signal.aborted) log.error({ err }, 'the embedded PostgreSQL did not start; trying again');
      }
    }
  }

  const kept = keep();
  return async () => {
    stopping.abort();
    await postgres.stop();
    await kept;
    // A restart may have been done in this very moment.
    await postgres.stop();
  };
}
