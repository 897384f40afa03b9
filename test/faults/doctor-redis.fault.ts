import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { checkRedis } from '../../src/doctor/redis.ts';
import { findingsIn } from '../doctor/setup.ts';
import { eventually } from '../support/eventually.ts';
import { startRedisCluster } from '../support/redis-cluster.ts';
import { startWatchedRedis } from '../support/redis-sentinels.ts';

describe('The doctor on the topology of Redis', function () {
  this.timeout(120_000);
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'qrelay-topology-'));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  it('fails when the sentinels that are left cannot agree on a failover', async () => {
    const redis = await startWatchedRedis(folder);
    const check = () => checkRedis({ redisUrl: redis.url, databaseUrl: '' });
    try {
      expect(findingsIn(await check(), 'ok')).to.include.members([
        'redis: 3 sentinels of REDIS_URL respond.',
        'redis: 3 sentinels watch the primary and can agree on a failover.',
        'redis: 2 replicas connected to the primary.',
      ]);
      redis.signalSentinel(1, 'SIGKILL');
      redis.signalSentinel(2, 'SIGKILL');
      const found = await eventually(async () => {
        const findings = await check();
        expect(findingsIn(findings, 'failure')).to.have.length(1);
        return findings;
      });
      expect(findingsIn(found, 'failure')[0]).to.match(
        /^redis: The sentinels cannot agree on a failover \(NOQUORUM 1 usable Sentinels/,
      );
      expect(findingsIn(found, 'warning').join()).to.include(
        '2 of 3 sentinels of REDIS_URL cannot be reached',
      );
      expect(JSON.stringify(found)).to.not.include('for-servers').and.not.include('for-sentinels');
    } finally {
      await redis.stop();
    }
  });

  it('names nodes of a cluster that have failed, and fails for slots without a primary', async () => {
    const cluster = await startRedisCluster(folder, 'for-servers');
    const check = () => checkRedis({ redisUrl: cluster.url, databaseUrl: '' });
    try {
      expect(findingsIn(await check(), 'ok')).to.include(
        'redis: The cluster has 3 primaries among 6 nodes, and every slot has one.',
      );
      const last = await cluster.primaryOf(16_383);
      last.server.process?.kill('SIGKILL');
      // Its replica takes over: only a node is missing.
      await eventually(async () => {
        const findings = await check();
        expect(findingsIn(findings, 'warning').join('\n')).to.include(
          `redis: 1 node of the cluster has failed: 127.0.0.1:${last.port}.`,
        );
        expect(findingsIn(findings, 'failure')).to.deep.equal([]);
      });
      (await cluster.primaryOf(16_383)).server.process?.kill('SIGKILL');
      await eventually(async () => {
        const failures = findingsIn(await check(), 'failure').join('\n');
        expect(failures).to.match(/redis: 546\d slots of the cluster have no primary that responds/);
      });
    } finally {
      await cluster.stop();
    }
  });
});
