import { setTimeout as sleep } from 'node:timers/promises';
import { type Backoff, createBackoff } from '../../runtime/backoff.ts';
import type { Log } from '../../telemetry/log.ts';
import { exitOf } from './programs.ts';
import type { EmbeddedPostgres } from './server.ts';

/** Restarts the server with backoff whenever it exits. The returned function stops it for good. */
export function supervisePostgres(
  postgres: Pick<EmbeddedPostgres, 'process' | 'restart' | 'stop'>,
  log: Log,
  backoff: Backoff = createBackoff(),
): () => Promise<void> {
  const stopping = new AbortController();
  const { signal } = stopping;

  async function superviseUntilStopped(): Promise<void> {
    for (;;) {
      const startedAt = Date.now();
      await exitOf(postgres.process);
      if (signal.aborted) return;
      const { exitCode, signalCode } = postgres.process;
      log.error({ code: exitCode, signal: signalCode }, 'the embedded PostgreSQL exited; starting it again');
      await restart(Date.now() - startedAt);
      if (signal.aborted) return;
    }
  }

  async function restart(ranMs: number): Promise<void> {
    for (let lastedMs = ranMs; !signal.aborted; lastedMs = 0) {
      try {
        await sleep(backoff.next(lastedMs), undefined, { signal });
        await postgres.restart(signal);
        return;
      } catch (err) {
        if (!signal.aborted) log.error({ err }, 'the embedded PostgreSQL did not start; trying again');
      }
    }
  }

  const supervised = superviseUntilStopped();
  return async () => {
    stopping.abort();
    await postgres.stop();
    await supervised;
    // A restart may have finished in the meantime.
    await postgres.stop();
  };
}
