import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { seededRandom } from '../../src/demo/demo-scans.ts';
import { eventually } from '../support/eventually.ts';
import { type Check, checkCounts, checkEnd, countTimeoutMs, waitUntilDrained } from './checks.ts';
import { createCodes, type SoakCode } from './codes.ts';
import { checkRecovered, type FaultKind, faultKinds, type FaultTarget, whyImpossible } from './faults.ts';
import { type Installation, install } from './installation.ts';
import { type SoakLoad, startSoakLoad, type Tally, type Unexpected } from './load.ts';
import { startMachineControl } from './machine-control.ts';
import { checkMemory } from './memory.ts';
import { between, type Random, shuffled } from './random.ts';
import { type Sample, startSampling } from './samples.ts';
import type { Lifetime } from './soak-process.ts';

export interface SoakOptions {
  seed: number;
  minutes: number;
  everySeconds: number;
  perSecond: number;
  /** Where the log of the processes goes, unless the log of a test run is kept. */
  logPath?: string;
  onProgress(line: string): void;
  /** Ends the run early; the checks follow nevertheless. */
  signal?: AbortSignal;
}

/** A fault as it happened; times in milliseconds since the load began. */
export interface Fault {
  name: string;
  target: FaultTarget;
  detail: string;
  atMs: number;
  heldMs: number;
  /** From its end until everything was as before. */
  recoveryMs: number;
}

export interface SoakResult {
  seed: number;
  seconds: number;
  perSecond: number;
  everySeconds: number;
  sent: number;
  total: Tally;
  recorded: number;
  unavailable: number;
  unavailableBusy: number;
  unexpected: Unexpected[];
  faults: Fault[];
  /** Kinds that this machine cannot make, and why. */
  impossible: { name: string; reason: string }[];
  samples: Sample[];
  lifetimes: { name: string; lifetimes: Lifetime[] }[];
  checks: Check[];
}

const hotCodeCount = 6;
const coldEveryMs = 2_000;
const warmUpMs = 5_000;
const recoveryTimeoutMs = 90_000;
/** The web processes take turns. */
const knownAfterRedirects = 20;

/** Runs everything under load, makes one fault after the other, and says whether every redirect was counted once. */
export async function soak(options: SoakOptions): Promise<SoakResult> {
  const { seed, minutes, everySeconds, perSecond, onProgress } = options;
  const random = seededRandom(seed);
  // The faults must not depend on how many requests were sent meanwhile.
  const plan = seededRandom(seed + 1);
  const faultCount = Math.max(1, Math.floor((minutes * 60) / everySeconds));
  const coldCodeCount = Math.ceil((minutes * 60_000 * 1.5) / coldEveryMs);
  let codes: SoakCode[] = [];
  onProgress('starting PostgreSQL with a standby, Redis with sentinels, two web and two worker processes');
  const installation = await install(
    random,
    async (url) => {
      codes = await createCodes(url, hotCodeCount + faultCount + coldCodeCount);
    },
    options.logPath,
  );
  const processes = [...installation.web, ...installation.workers];
  let isStopped = false;
  try {
    const startedAt = performance.now();
    const nowMs = () => performance.now() - startedAt;
    const clock: FaultClock = { nowMs, current: undefined };
    const control = startMachineControl(installation.postgres);
    const load = startSoakLoad({
      web: installation.web,
      perSecond,
      hotCodes: codes.splice(0, hotCodeCount),
      coldCodes: codes.splice(faultCount),
      coldEveryMs,
      random,
      fault: () => clock.current,
      wasBusySince: control.wasBusySince,
      nowMs,
    });
    const sampling = startSampling({ installation, processes, load, nowMs });
    const { faults, problems, impossible } = await makeFaults(
      options,
      installation,
      load,
      codes,
      plan,
      clock,
    );
    const seconds = Math.round(nowMs() / 1000);
    onProgress('the load ends; waiting until every scan is recorded');
    await load.stop();
    control.stop();
    const checks: Check[] = [
      { title: 'every part recovered from every fault', problems },
      await waitUntilDrained(installation, load),
      ...(await checkCounts(installation, load)),
    ];
    const [row] = await installation.postgres.query<{ count: string }>(
      'SELECT count(*) FROM scans',
      countTimeoutMs,
    );
    const samples = sampling.stop();
    const lifetimes = processes.map(({ name, lifetimes: lived }) => ({ name, lifetimes: lived }));
    checks.push(checkMemory(lifetimes));
    isStopped = true;
    checks.push(...(await checkEnd(installation)));
    return {
      seed,
      seconds,
      perSecond,
      everySeconds,
      sent: load.sent(),
      total: load.total(),
      recorded: Number(row?.count),
      unavailable: load.unavailable(),
      unavailableBusy: load.unavailableBusy(),
      unexpected: load.unexpected,
      faults,
      impossible,
      samples,
      lifetimes,
      checks,
    };
  } finally {
    if (!isStopped) await installation.stop();
  }
}

interface FaultClock {
  nowMs(): number;
  /** The fault of this moment, until everything has recovered from it. */
  current: FaultKind | undefined;
}

async function makeFaults(
  { minutes, everySeconds, onProgress, signal }: SoakOptions,
  installation: Installation,
  load: SoakLoad,
  codes: SoakCode[],
  plan: Random,
  clock: FaultClock,
): Promise<Pick<SoakResult, 'faults' | 'impossible'> & { problems: string[] }> {
  const impossible = faultKinds.flatMap((kind) => {
    const reason = whyImpossible(kind, installation);
    return reason ? [{ name: kind.name, reason }] : [];
  });
  const possible = faultKinds.filter(({ name }) => !impossible.some((one) => one.name === name));
  const everyMs = everySeconds * 1000;
  const faults: Fault[] = [];
  const problems: string[] = [];
  let round: FaultKind[] = [];
  const passUntil = (atMs: number) =>
    sleep(Math.max(0, atMs - clock.nowMs()), undefined, { signal }).catch(() => undefined);

  for (const [index, code] of codes.entries()) {
    // Its own code for each fault, known to both web processes before it starts: the counts tell which fault lost a scan.
    load.setCode(code);
    await passUntil(Math.max(index * everyMs, clock.nowMs()) + Math.min(warmUpMs, everyMs / 3));
    if (signal?.aborted) break;
    const isKnown = () => expect(load.tallies.get(code.id)?.redirects).to.be.above(knownAfterRedirects);
    await eventually(isKnown, recoveryTimeoutMs);
    if (round.length === 0) round = shuffled(plan, possible);
    const kind = round.pop() as FaultKind;
    const holdMs = between(plan, everyMs / 8, everyMs / 3);
    const fault: Fault = {
      name: kind.name,
      target: kind.target,
      detail: '',
      atMs: clock.nowMs(),
      heldMs: 0,
      recoveryMs: 0,
    };
    faults.push(fault);
    clock.current = kind;
    try {
      const { detail, end } = await kind.start(installation, plan);
      fault.detail = detail;
      await sleep(Math.max(0, fault.atMs + holdMs - clock.nowMs()));
      fault.heldMs = clock.nowMs() - fault.atMs;
      const endedAt = clock.nowMs();
      await end();
      await eventually(() => checkRecovered(installation), recoveryTimeoutMs, 200);
      fault.recoveryMs = clock.nowMs() - endedAt;
    } catch (error) {
      problems.push(`${kind.name} after ${Math.round(fault.atMs / 1000)} s: ${String(error)}`);
    }
    clock.current = undefined;
    onProgress(progressLine(index + 1, codes.length, fault, load, problems.at(-1)));
  }
  await passUntil(minutes * 60_000);
  return { faults, impossible, problems };
}

function progressLine(count: number, of: number, fault: Fault, load: SoakLoad, problem?: string): string {
  const { redirects, broken } = load.total();
  const at = new Date(fault.atMs).toISOString().slice(11, 19);
  const seconds = (ms: number) => `${(ms / 1000).toFixed(1)} s`;
  return [
    `${at}  ${count}/${of}  ${fault.name} (${fault.detail}) for ${seconds(fault.heldMs)}, recovered in ${seconds(fault.recoveryMs)};`,
    `${redirects} redirects, ${broken} broken, ${load.unexpected.length} unexpected`,
    ...(problem ? [`\n  PROBLEM: ${problem}`] : []),
  ].join(' ');
}
