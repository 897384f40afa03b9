import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { eventually } from '../support/eventually.ts';
import { freePort } from '../support/free-port.ts';
import { startOtlpReceiver } from '../support/otlp-receiver.ts';
import { type Settings, startProgram } from '../support/programs.ts';
import { createTestDatabase, type TestDatabase } from '../support/test-database.ts';

/** Preloaded: prints at a signal which of OpenTelemetry's packages are loaded. prom-client loads `api`. */
const reporter = `data:text/javascript,${encodeURIComponent(`
  import module from 'node:module';
  process.on('SIGUSR2', () => {
    const paths = Object.keys(module._cache).flatMap((path) => /@opentelemetry.(sdk-[^/]+|exporter-[^/]+|otlp-[^/]+|resources)/.exec(path)?.[1] ?? []);
    console.log('loaded: ' + [...new Set(paths)].toSorted().join(' ') + '.');
  });
`)}`;

describe('The packages of OpenTelemetry [processes]', function () {
  this.timeout(120_000);
  let folder: string;
  let database: TestDatabase;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'qrelay-traces-'));
    database = await createTestDatabase();
  });
  after(async () => {
    await database.drop();
    await rm(folder, { recursive: true, force: true });
  });

  async function run(file: string, settings: Settings): Promise<{ child: ChildProcess; loaded: string }> {
    const child = startProgram(
      file,
      {
        DATABASE_URL: database.url,
        DATA_DIR: folder,
        PORT: String(await freePort()),
        LOG_LEVEL: 'info',
        NODE_OPTIONS: `--import=${reporter}`,
        ...settings,
      },
      { hasParent: true },
    );
    let output = '';
    child.stdout?.on('data', (text: Buffer) => {
      output += text.toString();
    });
    await once(child, 'message');
    child.kill('SIGUSR2');
    const loaded = await eventually(() => {
      const [, found] = /"msg":"loaded: ([^"]*)\."/.exec(output) ?? [];
      expect(found).to.not.equal(undefined);
      return found ?? '';
    });
    return { child, loaded };
  }

  async function stop(child: ChildProcess): Promise<void> {
    child.kill('SIGTERM');
    expect(await once(child, 'exit')).to.deep.equal([0, null]);
  }

  for (const file of ['src/server.js', 'workers/main.js']) {
    it(`are not loaded by ${file} without an endpoint`, async () => {
      const { child, loaded } = await run(file, { OTEL_TRACES_SAMPLER: 'always_on' });
      expect(loaded).to.equal('');
      await stop(child);
    });
  }

  it('are loaded with one, and a process exports its last spans before it ends', async () => {
    const receiver = await startOtlpReceiver();
    const port = await freePort();
    const { child, loaded } = await run('src/server.js', {
      PORT: String(port),
      OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
      OTEL_TRACES_SAMPLER: 'always_on',
      OTEL_SERVICE_NAME: 'a-name',
    });
    expect(loaded).to.include('sdk-trace').and.include('exporter-trace-otlp-proto');
    await fetch(`http://127.0.0.1:${port}/r/aaaaaaaaaa`);
    await stop(child);
    expect(receiver.spans.map(({ name, service }) => ({ name, service }))).to.deep.equal([
      { name: 'GET /r/:token', service: 'a-name' },
    ]);
    await receiver.stop();
  });
});
