import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { LoadResult } from '../test/faults/steady-load.ts';
import type { LoadOrder } from './load-client.ts';

export interface LoadProcess {
  start(order: LoadOrder): void;
  stop(): Promise<LoadResult>;
  close(): void;
}

/** Scans share addresses at a steady rate, from a process that does nothing else meanwhile. One load at a time. */
export function openLoadProcess(): LoadProcess {
  const file = fileURLToPath(new URL('load-client.ts', import.meta.url));
  const client = fork(file, { execArgv: ['--import', 'tsx'] });
  return {
    start: (order) => void client.send(order),
    async stop() {
      const result = once(client, 'message');
      client.send('stop');
      const [measured] = (await result) as [LoadResult];
      return measured;
    },
    close: () => client.disconnect(),
  };
}
