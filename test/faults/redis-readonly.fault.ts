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
import { type Rig, startRig } from '../support/rig.ts';
import { expectFiguresToAddUp } from './expect-figures.ts';
import { startLoad } from './steady-load.ts';

const perSecond = 200;
const recoveryMs = 10_000;

async function readiness(rig: Rig) {
  const answer = await fetch(`${rig.url}/readyz`);
  return (await answer.json()) as { status: string; checks: { queue: { ok: boolean } } };
}
const queueUp = async (rig: Rig) => (await rig.figures()).web[0]?.get('qrelay_queue_up');

async function expectRecovery(rig: Rig): Promise<void> {
  await eventually(async () => {
    expect((await readiness(rig)).status).to.equal('ready');
    const [web] = (await rig.figures()).web;
    expect(web?.get('qrelay_scans_replayed_total')).to.be.above(0);
    expect(web?.get('qrelay_spool_bytes')).to.equal(0);
  }, recoveryMs);
}

async function expectCountersToBeRight(rig: Rig): Promise<void> {
  const { code, stdout } = await runQrelay(['counters', 'verify'], { DATABASE_URL: rig.postgres.url });
  expect({ code, stdout }).to.deep.equal({ code: 0, stdout: '' });
}

describe('Redis refuses writes under steady load', () => {
  let rig: Rig;
  let admin: Redis;

  before(async () => {
    rig = await startRig();
    admin = new Redis(rig.redis().url);
  });
  after(async () => {
    admin?.disconnect();
    await rig?.stop();
  });

  it('turned into a replica and promoted again: it is said, and every redirect is counted once', async () => {
    const code = await rig.makeCode();
    const load = startLoad(rig.addresses(code), perSecond);
    await eventually(() => expect(load.result.redirects).to.be.above(perSecond));
    // Of a primary that cannot be reached: it keeps what it has, and answers every question.
    await admin.replicaof('127.0.0.1', await freePort());
    await eventually(async () => expect((await readiness(rig)).status).to.equal('degraded'));
    await eventually(async () => expect(await queueUp(rig)).to.equal(0));
    await pass(2_000);
    await admin.replicaof('NO', 'ONE');
    await expectRecovery(rig);
    const { redirects, faults } = await load.stop();
    expect(faults).to.deep.equal({});
    expect(await rig.countedScans(code, redirects)).to.equal(redirects);
    await expectFiguresToAddUp(rig, redirects);
    await expectCountersToBeRight(rig);
  });

  it('out of memory, and then not: the same', async () => {
    const code = await rig.makeCode();
    const before = (await rig.figures()).web[0]?.get('qrelay_share_answers_total', { outcome: 'counted' });
    const load = startLoad(rig.addresses(code), perSecond);
    await eventually(() => expect(load.result.redirects).to.be.above(perSecond));
    await admin.config('SET', 'maxmemory', '1');
    await eventually(async () => expect((await readiness(rig)).checks.queue.ok).to.equal(false));
    await eventually(async () => expect(await queueUp(rig)).to.equal(0));
    await admin.config('SET', 'maxmemory', '0');
    await expectRecovery(rig);
    const { redirects, faults } = await load.stop();
    expect(faults).to.deep.equal({});
    expect(await rig.countedScans(code, redirects)).to.equal(redirects);
    await expectFiguresToAddUp(rig, redirects + (before ?? 0));
    await expectCountersToBeRight(rig);
  });
});

describe('Redis fails over to another server under steady load', () => {
  let rig: Rig;
  let address: MovingAddress;
  let second: RedisServer;
  let folder: string;
  let secondPort: number;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'qrelay-second-redis-'));
    rig = await startRig({
      async redisAddress(port) {
        address = await openMovingAddress(port);
        return address.port;
      },
    });
    secondPort = await freePort();
    const settings = ['--appendonly', 'yes', '--replicaof', `127.0.0.1 ${new URL(rig.redis().url).port}`];
    second = (await startOwnRedis(folder, secondPort, settings)) as RedisServer;
  });
  after(async () => {
    await rig?.stop();
    address?.close();
    await second?.stop();
    await rm(folder, { recursive: true, force: true });
  });

  it('while connections to the old one stay open: all follow within 10 s, and every redirect is counted once', async () => {
    const first = new Redis(rig.redis().url);
    const next = new Redis(second.url);
    const code = await rig.makeCode();
    const load = startLoad(rig.addresses(code), perSecond);
    await eventually(() => expect(load.result.redirects).to.be.above(perSecond));
    await eventually(async () => expect(await next.info('replication')).to.include('master_link_status:up'));
    // The replica sees the link first; it can take over when the primary lists it as online.
    await eventually(() => first.call('FAILOVER', 'TO', '127.0.0.1', String(secondPort)));
    await eventually(async () => expect(await next.role()).to.include('master'));
    await eventually(async () => expect((await readiness(rig)).status).to.equal('degraded'));
    address.moveTo(secondPort);
    await expectRecovery(rig);
    const { redirects, faults } = await load.stop();
    first.disconnect();
    next.disconnect();
    expect(faults).to.deep.equal({});
    expect(await rig.countedScans(code, redirects)).to.equal(redirects);
    await expectFiguresToAddUp(rig, redirects);
    await expectCountersToBeRight(rig);
  });
});
