import { Client } from 'pg';
import type { PostgresPair } from './postgres-pair.ts';

/** A bare query beside the load: what it takes too long for is the machine's doing. */
export interface MachineControl {
  /** Whether it was slow since then, a moment of `performance.now()`. */
  wasBusySince(at: number): boolean;
  stop(): void;
}

const everyMs = 100;
/** A quarter of the time that a web process gives to the lookup of a code; on an idle machine it takes a few milliseconds. */
const busyMs = 200;

export function startMachineControl({ primary }: PostgresPair): MachineControl {
  let client: Promise<Client> | undefined;
  let startedAt: number | undefined;
  let wasBusyAt = Number.NEGATIVE_INFINITY;
  let dueAt = performance.now();

  async function open(): Promise<Client> {
    const opened = new Client({ connectionString: primary().url, connectionTimeoutMillis: 5_000 });
    opened.on('error', () => {
      client = undefined;
    });
    await opened.connect();
    return opened;
  }

  async function ask(): Promise<void> {
    try {
      client ??= open();
      await (await client).query('SELECT 1');
    } catch {
      client = undefined;
    } finally {
      const now = performance.now();
      if (now - (startedAt ?? now) > busyMs) wasBusyAt = now;
      startedAt = undefined;
    }
  }

  const timer = setInterval(() => {
    const now = performance.now();
    if (now - dueAt > busyMs || now - (startedAt ?? now) > busyMs) wasBusyAt = now;
    dueAt = now + everyMs;
    if (startedAt !== undefined) return;
    startedAt = now;
    void ask();
  }, everyMs);

  return {
    wasBusySince: (at) => wasBusyAt > at,
    stop() {
      clearInterval(timer);
      client?.then((opened) => opened.end()).catch(() => undefined);
    },
  };
}
