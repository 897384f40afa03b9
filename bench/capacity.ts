import { parseArgs } from 'node:util';
import { round } from './figures.ts';

/**
 * Measured by `npm run bench endToEnd hot growth` on one machine. Replace them by figures of your own machines: what counts
 * is CPU time per scan, which depends on the processor.
 */
const measured = {
  cpuMicrosecondsPerScan: { web: 55, worker: 38, postgres: 17, redis: 15 },
  bytesPerScan: { database: 205, queue: 72 },
};

/** How much of a core is planned for: beyond that, response times grow fast. */
const planned = 0.6;
/** Prices per month, for the order of magnitude. */
const pricePerCore = 25;
const pricePerGb = 0.12;
const secondsPerMonth = 30 * 86_400;

/** `npm run bench capacity [-- --scans 20000000 --seconds 60]`: machines for steady loads, and a peak. */
export async function benchCapacity() {
  const { values } = parseArgs({
    options: { scans: { type: 'string' }, seconds: { type: 'string' } },
    strict: false,
  });
  const scans = Number(values.scans ?? 20_000_000);
  const seconds = Number(values.seconds ?? 60);
  return {
    'steady load': [10, 100, 1_000, 10_000, 100_000].map(sizeFor),
    [`${scans.toLocaleString('en')} scans of one code within ${seconds} s`]: [1, 2, 5, 10, 20].map((share) =>
      simulatePeak(scans, seconds, share),
    ),
  };
}

function coresFor(scansPerSecond: number, microseconds: number): number {
  return Math.max(1, Math.ceil((scansPerSecond * microseconds) / 1e6 / planned));
}

function sizeFor(scansPerSecond: number) {
  const { web, worker, postgres, redis } = measured.cpuMicrosecondsPerScan;
  const cores = {
    web: coresFor(scansPerSecond, web),
    worker: coresFor(scansPerSecond, worker),
    PostgreSQL: coresFor(scansPerSecond, postgres),
    Redis: coresFor(scansPerSecond, redis),
  };
  const all = Object.values(cores).reduce((sum, one) => sum + one, 0);
  const gbPerMonth = (scansPerSecond * secondsPerMonth * measured.bytesPerScan.database) / 1e9;
  const millionsPerMonth = (scansPerSecond * secondsPerMonth) / 1e6;
  return {
    'scans/s': scansPerSecond,
    ...Object.fromEntries(Object.entries(cores).map(([name, count]) => [`${name} cores`, count])),
    'GB per month': round(gbPerMonth, 1),
    'price per million scans': round((all * pricePerCore + gbPerMonth * pricePerGb) / millionsPerMonth, 3),
  };
}

/**
 * A television spot: the rate rises within seconds and falls off slowly. The web processes must answer at once; what the
 * workers cannot record at that rate waits in the queue. `share` is how many times fewer the workers are than the peak
 * would need.
 */
function simulatePeak(scans: number, seconds: number, share: number) {
  const { web, worker, postgres, redis } = measured.cpuMicrosecondsPerScan;
  const weights = Array.from({ length: seconds }, (_, second) => second * Math.exp(-second / (seconds / 6)));
  const sum = weights.reduce((total, weight) => total + weight, 0);
  const arrivals = weights.map((weight) => (weight / sum) * scans);
  const peak = Math.max(...arrivals);
  const recordedPerSecond = peak / share;
  let waiting = 0;
  let longest = 0;
  let delay = 0;
  for (let second = 0; waiting >= 1 || second < seconds; second += 1) {
    waiting = Math.max(0, waiting + (arrivals[second] ?? 0) - recordedPerSecond);
    longest = Math.max(longest, waiting);
    delay = Math.max(delay, waiting / recordedPerSecond);
  }
  return {
    'scans/s at the peak': Math.round(peak),
    'web cores': coresFor(peak, web),
    'Redis nodes': coresFor(peak, redis),
    'worker cores': coresFor(recordedPerSecond, worker),
    'PostgreSQL cores': coresFor(recordedPerSecond, postgres),
    'most scans waiting': Math.round(longest),
    'GB in Redis': round((longest * measured.bytesPerScan.queue) / 1e9, 2),
    'analytics late by s': Math.round(delay),
  };
}
