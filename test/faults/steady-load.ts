import { Agent, get } from 'node:http';
import { iPhoneSafari } from '../support/share.ts';

export interface LoadResult {
  /** Redirects that the client received. */
  redirects: number;
  /** Requests that were sent, answered or not. */
  sent: number;
  slowestMs: number;
  /** How long each answer took. */
  durationsMs: number[];
  /** Answers other than 302, and connections that broke, by what happened. */
  faults: Record<string, number>;
}

export interface SteadyLoad {
  result: LoadResult;
  stop(): Promise<LoadResult>;
}

/** Scans a share address at a steady rate over kept connections, as a load balancer would pass them on. */
export function startLoad(
  addresses: string[],
  perSecond: number,
  headers: Record<string, string> = {},
): SteadyLoad {
  const agent = new Agent({ keepAlive: true, maxSockets: 64 });
  const result: LoadResult = { redirects: 0, sent: 0, slowestMs: 0, durationsMs: [], faults: {} };
  const open = new Set<Promise<void>>();
  const fault = (name: string) => {
    result.faults[name] = (result.faults[name] ?? 0) + 1;
  };

  function scan(upstream: number, triesLeft: number): Promise<void> {
    const address = addresses[upstream % addresses.length] ?? '';
    const startedAt = performance.now();
    return new Promise((resolve) => {
      const req = get(address, { agent, headers: { 'User-Agent': iPhoneSafari, ...headers } }, (res) => {
        res.resume();
        res.once('end', () => {
          const ms = performance.now() - startedAt;
          result.durationsMs.push(ms);
          result.slowestMs = Math.max(result.slowestMs, ms);
          if (res.statusCode === 302) result.redirects += 1;
          else fault(String(res.statusCode));
          resolve();
        });
      });
      req.once('error', (error: NodeJS.ErrnoException) => {
        // Nobody listens there any more: a balancer asks the next one. Anything else is a fault.
        if (error.code === 'ECONNREFUSED' && triesLeft > 0) return resolve(scan(upstream + 1, triesLeft - 1));
        fault(error.code ?? error.message);
        resolve();
      });
    });
  }

  const startedAt = performance.now();
  const ticking = setInterval(() => {
    const due = Math.floor(((performance.now() - startedAt) / 1000) * perSecond);
    while (result.sent < due) {
      result.sent += 1;
      const request = scan(result.sent, addresses.length - 1).finally(() => open.delete(request));
      open.add(request);
    }
  }, 5);

  return {
    result,
    async stop() {
      clearInterval(ticking);
      await Promise.all(open);
      agent.destroy();
      return result;
    },
  };
}
