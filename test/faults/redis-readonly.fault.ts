import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pass } from 'node:timers/promises';
import { expect } from 'chai';
import { Redis } from 'ioredis';
import { eventually } from '../support/eventually.ts';
import { freePort } from '../support/free-port.ts';
import { type MovingAddress, openMovingAddress } from '../support/moving-address.ts';
import { runQrelay } from '../support/programs.ts';
import { type RedisServer, startOwnRedis } from '../support/redis-server.ts';
import { type Fixture, startFixture } from '../support/fixture.ts';
import { expectFiguresToAddUp } from './expect-figures.ts';
import { startLoad } from './steady-load.ts';

const perSecond = 200;
const recoveryMs = 10_000;

async function readiness(fixture: Fixture) {
  const answer = await fetch(`${fixture.url}/readyz`);
  return (await answer.json()) as { status: string; checks: { queue: { ok: boolean } } };
}
const queueUp = async (fixture: Fixture) => (await fixture.figures()).web[0]?.get('qrelay_queue_up');

async function expectRecovery(fixture: Fixture): Promise<void> {
  await eventually(async () => {
    expect((await readiness(fixture)).status).to.equal('ready');
    const [web] = (await fixture.figures()).web;
    expect(web?.get('qrelay_scans_replayed_total')).to.be.above(0);
    expect(web?.get('qrelay_spool_bytes')).to.equal(0);
  }, recoveryMs);
}

async function expectCountersToBeRight(fixture: Fixture): Promise<void> {
  const { code, stdout } = await runQrelay(['counters', 'verify'], { DATABASE_URL: fixture.postgres.url });
  expect({ code, stdout }).to.deep.equal({ code: 0, stdout: '' });
}

describe('Redis refuses writes under steady load', () => {
  let fixture: Fixture;
  let admin: Redis;

  before(async () => {
    fixture = await startFixture();
    admin = new Redis(fixture.redis().url);
  });
  after(async () => {
    admin?.disconnect();
    await fixture?.stop();
  });

  it('turned into a replica and promoted again: it is said, and every redirect is counted once', async () => {
    const code = await fixture.makeCode();
    const load = startLoad(fixture.addresses(code), perSecond);
    await eventually(() => expect(load.result.redirects).to.be.above(perSecond));
    // Of a primary that cannot be reached: it keeps what it has, and answers every question.
    await admin.replicaof('127.0.0.1', await freePort());
    await eventually(async () => expect((await readiness(fixture)).status).to.equal('degraded'));
    await eventually(async () => expect(await queueUp(fixture)).to.equal(0));
    await pass(2_000);
    await admin.replicaof('NO', 'ONE');
    await expectRecovery(fixture);
    const { redirects, faults } = await load.stop();
    expect(faults).to.deep.equal({});
    expect(await fixture.countedScans(code, redirects)).to.equal(redirects);
    await expectFiguresToAddUp(fixture, redirects);
    await expectCountersToBeRight(fixture);
  });

  it('out of memory, and then not: the same', async () => {
    const code = await fixture.makeCode();
    const before = (await fixture.figures()).web[0]?.get('qrelay_share_answers_total', {
      outcome: 'counted',
    });
    const load = startLoad(fixture.addresses(code), perSecond);
    await eventually(() => expect(load.result.redirects).to.be.above(perSecond));
    await admin.config('SET', 'maxmemory', '1');
    await eventually(async () => expect((await readiness(fixture)).checks.queue.ok).to.equal(false));
    await eventually(async () => expect(await queueUp(fixture)).to.equal(0));
    await admin.config('SET', 'maxmemory', '0');
    await expectRecovery(fixture);
    const { redirects, faults } = await load.stop();
    expect(faults).to.deep.equal({});
    expect(await fixture.countedScans(code, redirects)).to.equal(redirects);
    await expectFiguresToAddUp(fixture, redirects + (before ?? 0));
    await expectCountersToBeRight(fixture);
  });
});

describe('Redis fails over to another server under steady load', () => {
  let fixture: Fixture;
  let address: MovingAddress;
  let second: RedisServer;
  let folder: string;
  let secondPort: number;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'qrelay-second-redis-'));
    fixture = await startFixture({
      async redisAddress(port) {
        address = await openMovingAddress(port);
        return address.port;
      },
    });
    secondPort = await freePort();
    const settings = ['--appendonly', 'yes', '--replicaof', `127.0.0.1 ${new URL(fixture.redis().url).port}`];
    second = (await startOwnRedis(folder, secondPort, settings)) as RedisServer;
  });
  after(async () => {
    await fixture?.stop();
    address?.close();
    await second?.stop();
    await rm(folder, { recursive: true, force: true });
  });

  it('while connections to the old one stay open: all follow within 10 s, and every redirect is counted once', async () => {
    const first = new Redis(fixture.redis().url);
    const next = new Redis(second.url);
    const code = await fixture.makeCode();
    const load = startLoad(fixture.addresses(code), perSecond);
    await eventually(() => expect(load.result.redirects).to.be.above(perSecond));
    await eventually(async () => expect(await next.info('replication')).to.include('master_link_status:up'));
    // The replica sees the link first; it can take over when the primary lists it as online.
    await eventually(() => first.call('FAILOVER', 'TO', '127.0.0.1', String(secondPort)));
    await eventually(async () => expect(await next.role()).to.include('master'));
    await eventually(async () => expect((await readiness(fixture)).status).to.equal('degraded'));
    address.moveTo(secondPort);
    await expectRecovery(fixture);
    const { redirects, faults } = await load.stop();
    first.disconnect();
    next.disconnect();
    expect(faults).to.deep.equal({});
    expect(await fixture.countedScans(code, redirects)).to.equal(redirects);
    await expectFiguresToAddUp(fixture, redirects);
    await expectCountersToBeRight(fixture);
  });
});
