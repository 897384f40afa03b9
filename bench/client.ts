import { execFile, spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import autocannon from 'autocannon';
import { iPhoneSafari } from '../test/support/share.ts';

export const connections = 64;

export interface Measurement {
  requests: number;
  seconds: number;
  /** Milliseconds. */
  p50: number;
  p99: number;
  p999: number;
  errors: number;
}

const hasWrk = spawnSync('wrk', ['--version']).error === undefined;
export const clientName = hasWrk ? 'wrk' : 'autocannon';

/** One run with wrk, or with autocannon if wrk is not installed. */
export function measure(url: string, seconds: number): Promise<Measurement> {
  return hasWrk ? measureWithWrk(url, seconds) : measureWithAutocannon(url, seconds);
}

async function measureWithWrk(url: string, seconds: number): Promise<Measurement> {
  const script = fileURLToPath(new URL('wrk-report.lua', import.meta.url));
  const { stdout } = await promisify(execFile)('wrk', [
    '-t1',
    `-c${connections}`,
    `-d${seconds}s`,
    '-s',
    script,
    url,
  ]);
  return JSON.parse(stdout.slice(stdout.lastIndexOf('{'))) as Measurement;
}

async function measureWithAutocannon(url: string, seconds: number): Promise<Measurement> {
  const result = await autocannon({
    url,
    connections,
    duration: seconds,
    headers: { 'User-Agent': iPhoneSafari },
  });
  return {
    requests: result.requests.total,
    seconds: result.duration,
    p50: result.latency.p50,
    p99: result.latency.p99,
    p999: result.latency.p99_9,
    errors: result.errors + result.timeouts,
  };
}
