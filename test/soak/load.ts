import { Agent, get } from 'node:http';
import { iPhoneSafari } from '../support/share.ts';
import type { SoakCode } from './codes.ts';
import { pick, type Random } from './random.ts';
import type { SoakProcess } from './soak-process.ts';

/** What happened to the requests for one code. */
export interface Tally {
  redirects: number;
  /** Requests whose connection broke because the web process was killed: their scans may be recorded or not. */
  broken: number;
}

export interface Unexpected {
  atMs: number;
  /** A status or an error code. */
  what: string;
  during: string;
}

/** What the clients saw in one interval. */
export interface LoadSample {
  redirects: number;
  slowestMs: number;
}

export interface SoakLoad {
  tallies: Map<string, Tally>;
  total(): Tally;
  sent(): number;
  /** Responses that the contract does not allow. */
  unexpected: Unexpected[];
  /** 503 for codes that the web process did not know while PostgreSQL was disturbed, which the contract allows. */
  unavailable(): number;
  /** The same while this machine was too busy to look one up in time. */
  unavailableBusy(): number;
  /** The code that gets half of the requests from now on. */
  setCode(code: SoakCode): void;
  /** What happened since the last call. */
  takeSample(): LoadSample;
  stop(): Promise<void>;
}

interface LoadOptions {
  web: SoakProcess[];
  perSecond: number;
  /** Scanned all the time. */
  hotCodes: SoakCode[];
  /** Each is scanned once, so that web processes have to ask PostgreSQL for it. */
  coldCodes: SoakCode[];
  coldEveryMs: number;
  random: Random;
  /** What is disturbed just now. */
  fault(): { name: string; target: string } | undefined;
  /** Whether this machine was too busy for a bare query since then, a moment of `performance.now()`. */
  wasBusySince(at: number): boolean;
  nowMs(): number;
}

const agents = [
  iPhoneSafari,
  'Mozilla/5.0 (Linux; Android 14; Pixel 8) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Mobile Safari/537.36',
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:127.0) Gecko/20100101 Firefox/127.0',
];
const timeoutMs = 60_000;
/** A connection may break when the next request is written, just after the process was killed. */
const noticedMs = 1_000;

/** Scans codes at a steady rate over kept connections, as a load balancer would pass them on. */
export function startSoakLoad({
  web,
  perSecond,
  hotCodes,
  coldCodes,
  coldEveryMs,
  random,
  fault,
  wasBusySince,
  nowMs,
}: LoadOptions): SoakLoad {
  const agent = new Agent({ keepAlive: true, maxSockets: 64, scheduling: 'fifo' });
  const tallies = new Map<string, Tally>();
  const unexpected: Unexpected[] = [];
  const open = new Set<Promise<void>>();
  let sample: LoadSample = { redirects: 0, slowestMs: 0 };
  let code = pick(random, hotCodes);
  let sent = 0;
  let coldSent = 0;
  let unavailable = 0;
  let unavailableBusy = 0;
  /** Process and code: from its first redirect on, the process must not need PostgreSQL for it. */
  const known = new Set<string>();

  function tallyOf({ id }: SoakCode): Tally {
    const tally = tallies.get(id) ?? { redirects: 0, broken: 0 };
    tallies.set(id, tally);
    return tally;
  }

  function scan(scanned: SoakCode, turn: number, triesLeft: number): Promise<void> {
    const server = web[turn % web.length] as SoakProcess;
    const address = new URL(`/r/${scanned.shareToken}`, server.metricsUrl);
    const startedAt = performance.now();
    const faultAtStart = fault();
    const tally = tallyOf(scanned);
    const fail = (what: string) =>
      unexpected.push({ atMs: nowMs(), what, during: (fault() ?? faultAtStart)?.name ?? 'no fault' });
    return new Promise((resolve) => {
      const headers = { 'User-Agent': pick(random, agents) };
      const req = get(address, { agent, headers, timeout: timeoutMs }, (res) => {
        res.resume();
        res.once('end', () => {
          sample.slowestMs = Math.max(sample.slowestMs, performance.now() - startedAt);
          const knowledge = `${server.pid()} ${scanned.id}`;
          const isUnavailable = res.statusCode === 503 && !known.has(knowledge);
          if (res.statusCode === 302) {
            tally.redirects += 1;
            sample.redirects += 1;
            known.add(knowledge);
          } else if (isUnavailable && (fault() ?? faultAtStart)?.target === 'postgres') unavailable += 1;
          else if (isUnavailable && wasBusySince(startedAt - noticedMs)) unavailableBusy += 1;
          else fail(`${res.statusCode} of ${server.name}`);
          resolve();
        });
        res.once('error', (error: NodeJS.ErrnoException) => {
          fail(`response: ${error.code ?? error.message}`);
          resolve();
        });
      });
      req.once('timeout', () => req.destroy(new Error('timeout')));
      req.once('error', (error: NodeJS.ErrnoException) => {
        // Nobody listens there: a balancer asks the next one.
        if (error.code === 'ECONNREFUSED' && triesLeft > 0)
          return resolve(scan(scanned, turn + 1, triesLeft - 1));
        if (server.killedAt.some((at) => at > startedAt - noticedMs)) tally.broken += 1;
        else fail(`${error.code ?? error.message} of ${server.name}`);
        resolve();
      });
    });
  }

  function send(scanned: SoakCode): void {
    sent += 1;
    const request = scan(scanned, sent, web.length - 1).finally(() => open.delete(request));
    open.add(request);
  }

  const startedAt = performance.now();
  const ticking = setInterval(() => {
    const elapsedMs = performance.now() - startedAt;
    while (sent - coldSent < (elapsedMs / 1000) * perSecond)
      send(random() < 0.5 ? code : pick(random, hotCodes));
    while (coldSent < coldCodes.length && coldSent < elapsedMs / coldEveryMs) {
      coldSent += 1;
      send(coldCodes[coldSent - 1] as SoakCode);
    }
  }, 5);

  return {
    tallies,
    total() {
      const total = { redirects: 0, broken: 0 };
      for (const { redirects, broken } of tallies.values()) {
        total.redirects += redirects;
        total.broken += broken;
      }
      return total;
    },
    sent: () => sent,
    unexpected,
    unavailable: () => unavailable,
    unavailableBusy: () => unavailableBusy,
    setCode(next) {
      code = next;
    },
    takeSample() {
      const taken = sample;
      sample = { redirects: 0, slowestMs: 0 };
      return taken;
    },
    async stop() {
      clearInterval(ticking);
      await Promise.all(open);
      agent.destroy();
    },
  };
}
