import { expect } from 'chai';
import { openQueueClient } from '../../src/queue/queue-client.ts';
import { openQueueWorker } from '../../src/queue/queue-worker.ts';
import { scanQueue } from '../../src/queue/scan-queue.ts';
import { CheckAborted } from '../../src/doctor/finding.ts';
import { checkRedis } from '../../src/doctor/redis.ts';
import { createLog } from '../../src/telemetry/log.ts';
import { eventually } from '../support/eventually.ts';
import { servers } from '../support/servers.ts';
import { testLog } from '../support/test-log.ts';
import { startTlsRedis, type TlsRedis } from '../support/tls-redis.ts';

describe('A Redis with a certificate of a private authority', () => {
  let redis: TlsRedis;
  before(async function () {
    const started = servers().redisUrl ? await startTlsRedis() : undefined;
    if (!started) return this.skip();
    redis = started;
  });
  after(() => redis?.stop());

  const place = (host: string, more = {}) => ({
    redisUrl: `rediss://${host}:${redis.port}`,
    databaseUrl: '',
    redisCaFile: redis.caFile,
    ...more,
  });
  const findingOf = async (...where: Parameters<typeof place>) => {
    const findings = await checkRedis(place(...where)).catch((error: unknown) => {
      if (error instanceof CheckAborted) return [error.finding];
      throw error;
    });
    return `${findings[0]?.finding} ${findings[0]?.remedy ?? ''}`;
  };

  it('delivers jobs with REDIS_CA_FILE', async () => {
    const queue = openQueueClient({ place: place('localhost'), log: testLog() });
    const delivered: unknown[] = [];
    const worker = openQueueWorker(
      place('localhost'),
      scanQueue,
      async (job) => void delivered.push(job),
      testLog(),
    );
    const job = { scans: [], sealedAddresses: '' };
    await eventually(() => queue.add(scanQueue, job));
    await eventually(() => expect(delivered).to.deep.equal([job]));
    await worker.close();
    await queue.close();
    expect(await findingOf('localhost')).to.match(/^localhost:\d+ responds in/);
    const [, encryption] = await checkRedis(place('localhost'));
    expect(encryption?.state).to.equal('ok');
    expect(encryption?.finding).to.match(
      /^The connection to localhost:\d+ is encrypted \(TLSv1\.3\), with a certificate that is valid until 20/,
    );
  });

  it('is refused without it, for another host, and for a port without TLS; the doctor says what to do', async () => {
    expect(await findingOf('localhost', { redisCaFile: undefined }))
      .to.include('the certificate of Redis is not trusted')
      .and.include('Set REDIS_CA_FILE to a PEM file');
    const cluster = { redisUrl: `rediss+cluster://localhost:${redis.port}`, redisCaFile: undefined };
    expect(await findingOf('localhost', cluster)).to.include('the certificate of Redis is not trusted');
    expect(await findingOf('127.0.0.1'))
      .to.include('the certificate of Redis is for another host')
      .and.include('Use a host name of the certificate in REDIS_URL');
    expect(
      await findingOf('localhost', { redisUrl: redis.plainUrl.replace('redis:', 'rediss:') }),
    ).to.include('Its port must be the one for TLS.');
  });

  it('is named with its kind by the doctor where REDIS_URL has another', async () => {
    const as = (scheme: string) => ({ redisUrl: redis.plainUrl.replace('redis:', `redis+${scheme}:`) });
    expect(await findingOf('localhost', as('cluster'))).to.include(
      'is not a Redis Cluster. Start REDIS_URL with',
    );
    const { redisUrl } = as('sentinel');
    expect(await findingOf('localhost', { redisUrl: `${redisUrl}/mymaster` })).to.include(
      'does not know the commands of a sentinel',
    );
  });

  it('is reported by the log of a process with what to do, for one server and for a cluster', async () => {
    for (const scheme of ['rediss', 'rediss+cluster']) {
      const lines: string[] = [];
      const log = createLog('test', 'warn', { write: (line) => void lines.push(line) });
      const redisUrl = `${scheme}://localhost:${redis.port}`;
      const queue = openQueueClient({ place: { redisUrl, databaseUrl: '' }, log });
      await eventually(() => expect(lines).to.have.lengthOf(1));
      expect(lines[0]).to.include(
        'the connection to the queue failed: the certificate of Redis is not trusted. Set REDIS_CA_FILE',
      );
      await queue.close();
    }
  });

  // Last: the server has no valid certificate afterwards.
  it('is reported by the doctor when its certificate has expired', async () => {
    await redis.expire();
    expect(await findingOf('localhost'))
      .to.include('the certificate of Redis has expired or is not valid yet')
      .and.include('Renew the certificate, or correct the clock of this machine.');
  });
});
