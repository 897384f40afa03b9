import { startFixture } from '../test/support/fixture.ts';
import { startOtlpReceiver } from '../test/support/otlp-receiver.ts';
import { startBare } from './bare-server.ts';
import { connections, type Measurement, measure } from './client.ts';
import { cpuMicroseconds } from './cpu.ts';
import { median, round } from './figures.ts';

const rounds = 5;
const secondsPerRound = 3;

const onRedis = 'lane, queue on Redis';
const setups = (otlpUrl: string): Record<string, Parameters<typeof startFixture>[0]> => ({
  [onRedis]: {},
  'the same, SCAN_JOURNAL=on': { settings: { SCAN_JOURNAL: 'on' } },
  'the same, SCAN_JOURNAL=fsync': { settings: { SCAN_JOURNAL: 'fsync' } },
  'the same, with traces': { settings: { OTEL_EXPORTER_OTLP_ENDPOINT: otlpUrl } },
  'lane, queue on Postgres': { queue: 'postgres' },
});

interface Contender {
  name: string;
  url: string;
  pid: number | undefined;
  runs: (Measurement & { cpu: number })[];
}

/** Compares bare servers with our lane. The runs alternate, so that noise on the machine affects all of them. */
export async function benchLane() {
  const bareHttp = await startBare('bare-http.mjs');
  const bareKoa = await startBare('bare-koa.mjs');
  const receiver = await startOtlpReceiver();
  const lanes = await Promise.all(
    Object.entries(setups(receiver.url)).map(async ([name, options]) => {
      const fixture = await startFixture({ workers: 0, ...options });
      return { name, fixture, code: await fixture.makeCode() };
    }),
  );
  const contenders: Contender[] = [
    { name: 'bare node:http', url: bareHttp.url, pid: bareHttp.process.pid, runs: [] },
    { name: 'bare Koa', url: bareKoa.url, pid: bareKoa.process.pid, runs: [] },
    ...lanes.map(({ name, fixture, code }) => ({
      name,
      url: fixture.addresses(code)[0] ?? '',
      pid: fixture.web[0]?.process.pid,
      runs: [],
    })),
  ];
  const sent = new Map<string, number>();
  const run = async ({ name, url, pid }: Contender, seconds: number) => {
    const cpuBefore = cpuMicroseconds(pid);
    const result = await measure(url, seconds);
    sent.set(name, (sent.get(name) ?? 0) + result.requests);
    return { ...result, cpu: (cpuMicroseconds(pid) - cpuBefore) / result.requests };
  };
  for (const contender of contenders) await run(contender, 2);
  for (let number = 0; number < rounds; number += 1) {
    for (const contender of contenders) contender.runs.push(await run(contender, secondsPerRound));
  }

  const rates = (name: string) =>
    contenders.find((one) => one.name === name)?.runs.map((r) => r.requests / r.seconds) ?? [];
  const against = (name: string, base: string) =>
    round(median(rates(name).map((rate, index) => rate / (rates(base)[index] ?? 1))), 3);
  const table = contenders.map(({ name, runs }) => ({
    server: name,
    'requests/s': Math.round(median(rates(name))),
    'of node:http': against(name, 'bare node:http'),
    'of Koa': against(name, 'bare Koa'),
    'of the lane on Redis': against(name, onRedis),
    'CPU µs of the process': round(median(runs.map(({ cpu }) => cpu)), 1),
    'p50 ms': round(median(runs.map(({ p50 }) => p50)), 2),
    'p99 ms': round(median(runs.map(({ p99 }) => p99)), 2),
    'p99.9 ms': round(median(runs.map(({ p999 }) => p999)), 2),
    errors: runs.reduce((sum, { errors }) => sum + errors, 0),
  }));

  // When the client stops, one request per connection may be in flight: counted by us, but not by the client.
  const slack = (rounds + 1) * connections;
  const counted = [];
  for (const { name, fixture, code } of lanes) {
    await fixture.addWorker();
    const redirects = sent.get(name) ?? 0;
    const scans = await fixture.countedScans(code, redirects, 180_000);
    counted.push({
      server: name,
      'redirects received': redirects,
      'scans counted': scans,
      exact: scans - redirects <= slack,
    });
    await fixture.stop();
  }
  await receiver.stop();
  bareHttp.process.kill();
  bareKoa.process.kill();
  return { table, counted };
}
