import { expect } from 'chai';
import { eventually } from '../support/eventually.ts';
import { signalTree } from '../support/process-tree.ts';
import type { FaultyProxy, Network } from './faulty-proxy.ts';
import type { Installation } from './installation.ts';
import { between, pick, type Random } from './random.ts';
import type { SoakProcess } from './soak-process.ts';

/** What is disturbed. The chart has a color for each. */
export const faultTargets = ['web', 'worker', 'redis', 'postgres', 'disk', 'clock'] as const;
export type FaultTarget = (typeof faultTargets)[number];

interface Disturbance {
  /** What exactly, such as which process. */
  detail: string;
  end(): Promise<unknown>;
}

export interface FaultKind {
  name: string;
  target: FaultTarget;
  start(installation: Installation, random: Random): Promise<Disturbance>;
}

/** The first process of each kind is never killed: it lives as long as the run, so that growing memory would show. */
const killed = (processes: SoakProcess[]) => processes.at(-1) as SoakProcess;

async function killProcess(process: SoakProcess): Promise<Disturbance> {
  await process.kill();
  return { detail: process.name, end: () => process.restart() };
}

function stopTree(pid: number, detail: string): Disturbance {
  signalTree(pid, 'SIGSTOP');
  return { detail, end: async () => signalTree(pid, 'SIGCONT') };
}

function stopProcess(process: SoakProcess): Disturbance {
  return stopTree(process.pid(), process.name);
}

function disturb(proxies: FaultyProxy[], network: Network, detail: string): Disturbance {
  for (const proxy of proxies) proxy.setNetwork(network);
  return {
    detail,
    async end() {
      for (const proxy of proxies) proxy.setNetwork({});
    },
  };
}

const delay = (proxies: FaultyProxy[], random: Random) => {
  const delayMs = between(random, 20, 120);
  return disturb(proxies, { delayMs }, `${delayMs} to ${Math.round(delayMs * 1.5)} ms each way`);
};
const stall = (proxies: FaultyProxy[]) => disturb(proxies, { isStalled: true }, 'nothing passes');
const cut = (proxies: FaultyProxy[], random: Random) => {
  const cutProbability = pick(random, [0.002, 0.01, 0.05]);
  return disturb(proxies, { cutProbability }, `after ${1 / cutProbability} chunks on average`);
};

async function stepClock({ web, workers }: Installation, random: Random): Promise<Disturbance> {
  const all = [...web, ...workers];
  const chosen = random() < 0.5 ? all : [pick(random, all)];
  const seconds = pick(random, [-3600, -90, 90, 3600]);
  const set = async (offset: number) => {
    for (const { clock } of chosen) await clock?.setOffset(offset);
    // Each of them must have seen it.
    for (const process of chosen)
      await eventually(async () => expect(await aheadSeconds(process)).to.be.closeTo(offset, 3));
  };
  await set(seconds);
  const who = chosen.length > 1 ? 'all processes' : chosen[0]?.name;
  return { detail: `${who} by ${seconds > 0 ? '+' : '−'}${Math.abs(seconds)} s`, end: () => set(0) };
}

/** How far the clock of a process is ahead, by the Date header of its responses. */
async function aheadSeconds({ metricsUrl }: SoakProcess): Promise<number> {
  const { headers } = await fetch(metricsUrl, { signal: AbortSignal.timeout(5_000) });
  return (Date.parse(headers.get('date') ?? '') - Date.now()) / 1000;
}

/** In the order of the report. */
export const faultKinds: readonly FaultKind[] = [
  { name: 'web process killed', target: 'web', start: ({ web }) => killProcess(killed(web)) },
  {
    name: 'web process stopped',
    target: 'web',
    start: async ({ web }, random) => stopProcess(pick(random, web)),
  },
  { name: 'worker killed', target: 'worker', start: ({ workers }) => killProcess(killed(workers)) },
  {
    name: 'worker stopped',
    target: 'worker',
    start: async ({ workers }, random) => stopProcess(pick(random, workers)),
  },
  {
    name: 'Redis killed',
    target: 'redis',
    start: async ({ redis }) => ({ detail: 'the primary', end: await redis.killPrimary() }),
  },
  {
    name: 'Redis stopped',
    target: 'redis',
    start: async ({ redis }) => stopTree((await redis.primary()).pid ?? 0, 'the primary'),
  },
  {
    name: 'Redis failover',
    target: 'redis',
    async start({ redis }) {
      await redis.failOver();
      return { detail: 'a replica becomes primary', end: async () => undefined };
    },
  },
  {
    name: 'Redis network delayed',
    target: 'redis',
    start: async ({ redis }, random) => delay(redis.proxies, random),
  },
  { name: 'Redis network stalled', target: 'redis', start: async ({ redis }) => stall(redis.proxies) },
  {
    name: 'Redis connections cut',
    target: 'redis',
    start: async ({ redis }, random) => cut(redis.proxies, random),
  },
  {
    name: 'Postgres killed',
    target: 'postgres',
    async start({ postgres }) {
      await postgres.kill();
      return { detail: 'the primary', end: postgres.restart };
    },
  },
  {
    name: 'Postgres stopped',
    target: 'postgres',
    start: async ({ postgres }) => stopTree(postgres.primary().process.pid ?? 0, 'the primary'),
  },
  {
    name: 'Postgres promotion',
    target: 'postgres',
    async start({ postgres }) {
      await postgres.promote();
      return { detail: 'the primary is killed, the standby promoted', end: postgres.rejoin };
    },
  },
  {
    name: 'Postgres network delayed',
    target: 'postgres',
    start: async ({ postgres }, random) => delay(postgres.proxies, random),
  },
  {
    name: 'Postgres network stalled',
    target: 'postgres',
    start: async ({ postgres }) => stall(postgres.proxies),
  },
  {
    name: 'Postgres connections cut',
    target: 'postgres',
    start: async ({ postgres }, random) => cut(postgres.proxies, random),
  },
  {
    name: 'disk full',
    target: 'disk',
    async start({ disk }) {
      await disk?.fill();
      return { detail: 'the disk of DATA_DIR', end: async () => disk?.free() };
    },
  },
  { name: 'clock stepped', target: 'clock', start: stepClock },
];

/** Why a kind of fault cannot be made on this machine. Undefined if it can. */
export function whyImpossible({ target }: FaultKind, { disk, web }: Installation): string | undefined {
  if (target === 'disk' && !disk) return 'only root on Linux can mount a small disk';
  if (target === 'clock' && !web.every(({ clock }) => clock)) return 'libfaketime is not installed';
  return undefined;
}

/** Rejects unless every part is as it was before the fault. */
export async function checkRecovered({ web, redis, postgres }: Installation): Promise<void> {
  for (const { metricsUrl } of web) {
    const answer = await fetch(new URL('/readyz', metricsUrl), { signal: AbortSignal.timeout(5_000) });
    expect(((await answer.json()) as { status: string }).status).to.equal('ready');
  }
  await redis.checkReplication();
  await postgres.checkReplication();
}
