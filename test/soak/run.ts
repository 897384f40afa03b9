import { randomInt } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { installPackages } from '../image/install-packages.ts';
import { soakChart } from './chart.ts';
import { soakReport } from './report.ts';
import { soak } from './soak.ts';

/** `npm run soak -- --minutes 60 [--every 30] [--rate 150] [--seed N] [--out folder]`: see docs/development.md. */
const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '10' },
    every: { type: 'string', default: '30' },
    rate: { type: 'string', default: '150' },
    seed: { type: 'string' },
    out: { type: 'string', default: join('test', 'soak', 'results') },
  },
});

function positive(name: string, value: string): number {
  const number = Number(value);
  if (!(number > 0)) throw new Error(`--${name} must be a number above 0`);
  return number;
}

await installPackages({ 'redis-server': ['redis-server', 'valkey-server'], faketime: ['faketime'] });
await mkdir(values.out, { recursive: true });
const seed = values.seed === undefined ? randomInt(2 ** 31) : Number(values.seed);
console.log(`Seed ${seed}: repeat the faults with --seed ${seed}.`);
const interrupted = new AbortController();
process.once('SIGINT', () => {
  console.log('Interrupted: the checks follow. Press Ctrl+C again to end at once.');
  interrupted.abort();
});
const result = await soak({
  seed,
  minutes: positive('minutes', values.minutes),
  everySeconds: positive('every', values.every),
  perSecond: positive('rate', values.rate),
  logPath: join(values.out, 'processes.log'),
  onProgress: (line) => console.log(line),
  signal: interrupted.signal,
});
await writeFile(join(values.out, 'soak.json'), JSON.stringify(result));
await writeFile(join(values.out, 'soak.svg'), soakChart(result));
await writeFile(join(values.out, 'soak.md'), soakReport(result, 'soak.svg'));
for (const { title, problems } of result.checks)
  console.log([`${problems.length === 0 ? '✔' : '✘'} ${title}`, ...problems].join('\n    '));
console.log(`The report is in ${values.out}.`);
process.exit(result.checks.every(({ problems }) => problems.length === 0) ? 0 : 1);
