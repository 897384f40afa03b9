import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { Redis } from 'ioredis';
import type { Finding } from '../../src/doctor/finding.ts';
import {
  type DoctorsRedis,
  findingsIn,
  goodSettings,
  startGoodRedis,
  warningsOfFolder,
} from '../doctor/setup.ts';
import { runQrelayHere } from '../support/command-line.ts';
import { runQrelay } from '../support/programs.ts';
import { startService, type TestService } from '../support/service.ts';

interface Report {
  ok: boolean;
  findings: Finding[];
}

describe('qrelay doctor', function () {
  this.timeout(120_000);

  describe('with external servers', () => {
    let own: DoctorsRedis;
    let service: TestService;
    let settings: Record<string, string>;
    before(async function () {
      own = await startGoodRedis();
      if (!own.redis) return this.skip();
      const dataDir = join(own.folder, 'data');
      await mkdir(dataDir);
      const redisUrl = own.redis.url;
      service = await startService({ worker: true, redisUrl, config: { dataDir } });
      settings = {
        ...goodSettings,
        DATABASE_URL: service.databaseUrl,
        REDIS_URL: redisUrl,
        DATA_DIR: dataDir,
      };
    });
    after(async () => {
      await service?.stop();
      await own.stop();
    });

    it('prints one JSON document and exits with 0 if nothing fails', async () => {
      const { code, stdout, stderr } = await runQrelayHere(['doctor', '--json'], settings);
      const { ok, findings } = JSON.parse(stdout) as Report;
      expect(findingsIn(findings, 'failure')).to.deep.equal([]);
      expect(ok).to.equal(true);
      expect({ code, stderr }).to.deep.equal({ code: 0, stderr: '' });
      for (const { state, remedy } of findings) expect(remedy === undefined).to.equal(state === 'ok');
      expect(stdout).to.not.include(new URL(service.databaseUrl).password);
    });

    it('prints what fails and what to do, without color into a file, and exits with 1', async () => {
      const admin = new Redis(settings['REDIS_URL'] ?? '');
      await admin.config('SET', 'maxmemory-policy', 'allkeys-lru');
      const { code, stdout, stderr } = await runQrelay(
        ['doctor', '--forwarded-for', '6.6.6.6, 81.2.69.142', '--remote', '10.0.0.9'],
        settings,
      );
      await admin.config('SET', 'maxmemory-policy', 'noeviction');
      admin.disconnect();
      // Not even BullMQ's own warning.
      expect({ code, stderr }).to.deep.equal({ code: 1, stderr: '' });
      const lines = stdout.trimEnd().split('\n');
      const at = lines.findIndex((line) => line.startsWith('  ✗ failure  maxmemory-policy is allkeys-lru'));
      expect(lines[at + 1]).to.match(/^ {13}→ Run `redis-cli CONFIG SET maxmemory-policy noeviction`/);
      expect(lines).to.include(
        '  ✓ ok       The request from 10.0.0.9 with "6.6.6.6, 81.2.69.142" is attributed to 81.2.69.142.',
      );
      expect(lines.at(-1)).to.match(new RegExp(`^\\d+ ok, ${2 + warningsOfFolder} warnings, 1 failure$`));
      expect(stdout).to.not.include('\u001B');
      expect(stdout).to.not.include(new URL(service.databaseUrl).password);
    });
  });

  it('says how to start the service if nothing is running', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'qrelay-doctor-'));
    const { code, stdout } = await runQrelayHere(['doctor', '--json'], { DATA_DIR: folder });
    await rm(folder, { recursive: true });
    const { ok, findings } = JSON.parse(stdout) as Report;
    expect({ code, ok }).to.deep.equal({ code: 1, ok: false });
    expect(findingsIn(findings, 'failure')).to.deep.equal([
      `postgres: No database is running in ${folder}, and DATABASE_URL is not set.`,
    ]);
    expect(findings.find(({ state }) => state === 'failure')?.remedy).to.include('npm start');
  });
});
