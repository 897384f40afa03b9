import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { Redis } from 'ioredis';
import { createCertificate } from './certificate.ts';
import { eventually } from './eventually.ts';
import { findProgram } from './find-program.ts';
import { freePort } from './free-port.ts';
import { type RedisServer, startOwnRedis } from './redis-server.ts';

export interface WatchedRedis {
  url: string;
  /** With TLS only: the certificate of the authority that nobody knows. */
  caFile: string | undefined;
  primary: RedisServer;
  sentinels: Redis[];
  /** Two of the three sentinels are enough for a failover. */
  signalSentinel(index: number, signal: NodeJS.Signals): void;
  /** The port of the primary, as the sentinels name it. */
  primaryPort(): Promise<number>;
  stop(): Promise<void>;
}

const replicaCount = 2;
const sentinelCount = 3;

/**
 * A primary with replicas, and sentinels that replace it within seconds; servers and sentinels have passwords of their own.
 * With TLS, sentinels listen for nothing else, and replication uses it too.
 */
export async function startWatchedRedis(folder: string, { tls = false } = {}): Promise<WatchedRedis> {
  const program = findProgram('redis-server', 'valkey-server');
  const password = 'for-servers';
  const sentinelPassword = 'for-sentinels';
  const certificate = tls ? await createCertificate(folder, '127.0.0.1') : undefined;
  const tlsSettings: [name: string, value: string][] = certificate
    ? [
        ['tls-cert-file', certificate.certFile],
        ['tls-key-file', certificate.keyFile],
        ['tls-ca-cert-file', certificate.caFile],
        ['tls-auth-clients', 'no'],
        ['tls-replication', 'yes'],
      ]
    : [];
  const ports = await Promise.all(Array.from({ length: 1 + replicaCount }, freePort));
  const servers: RedisServer[] = [];
  for (const port of ports) {
    const own = join(folder, `server-${port}`);
    await mkdir(own);
    const settings = ['--appendonly', 'yes', '--requirepass', password, '--masterauth', password];
    if (certificate) settings.push('--tls-port', String(port));
    settings.push(...tlsSettings.flatMap(([name, value]) => [`--${name}`, value]));
    if (port !== ports[0]) settings.push('--replicaof', `127.0.0.1 ${ports[0]}`);
    // The tests themselves connect without TLS.
    const server = await startOwnRedis(own, certificate ? await freePort() : port, settings, password);
    if (!server) throw new Error('The fault tests need redis-server or valkey-server');
    servers.push(server);
  }
  const [primary, ...replicas] = servers as [RedisServer, ...RedisServer[]];
  for (const { url } of replicas) {
    const admin = new Redis(url);
    await eventually(async () => expect(await admin.info('replication')).to.include('master_link_status:up'));
    admin.disconnect();
  }
  const sentinelPorts = await Promise.all(Array.from({ length: sentinelCount }, freePort));
  const processes = await Promise.all(
    sentinelPorts.map(async (port) => {
      const file = join(folder, `sentinel-${port}.conf`);
      await writeFile(
        file,
        [
          `port ${certificate ? await freePort() : port}`,
          ...(certificate ? [`tls-port ${port}`] : []),
          ...tlsSettings.map((setting) => setting.join(' ')),
          'bind 127.0.0.1',
          `dir ${folder}`,
          `requirepass ${sentinelPassword}`,
          `sentinel sentinel-pass ${sentinelPassword}`,
          `sentinel monitor mymaster 127.0.0.1 ${ports[0]} 2`,
          `sentinel auth-pass mymaster ${password}`,
          'sentinel down-after-milliseconds mymaster 1000',
          'sentinel failover-timeout mymaster 5000',
        ].join('\n'),
      );
      return spawn(program ?? '', [file, '--sentinel'], { stdio: 'ignore' });
    }),
  );
  const sentinels = sentinelPorts.map(
    (port) =>
      new Redis({
        host: '127.0.0.1',
        port,
        password: sentinelPassword,
        ...(certificate && { tls: { ca: readFileSync(certificate.caFile) } }),
      }),
  );
  for (const sentinel of sentinels) sentinel.on('error', () => undefined);
  await eventually(async () => {
    for (const sentinel of sentinels) {
      const [facts] = (await sentinel.call('SENTINEL', 'MASTERS')) as string[][];
      const fact = (name: string) => facts?.[facts.indexOf(name) + 1];
      expect([fact('num-slaves'), fact('num-other-sentinels')]).to.deep.equal(['2', '2']);
    }
  }, 20_000);
  const hosts = sentinelPorts.map((port) => `127.0.0.1:${port}`).join(',');
  return {
    caFile: certificate?.caFile,
    url: `${certificate ? 'rediss' : 'redis'}+sentinel://:${password}@${hosts}/mymaster?sentinel_password=${sentinelPassword}`,
    primary,
    sentinels,
    signalSentinel: (index, signal) => void processes[index]?.kill(signal),
    async primaryPort() {
      const address = await sentinels.at(-1)?.call('SENTINEL', 'GET-MASTER-ADDR-BY-NAME', 'mymaster');
      return Number((address as string[])[1]);
    },
    async stop() {
      for (const sentinel of sentinels) sentinel.disconnect();
      for (const child of processes) child.kill('SIGKILL');
      await Promise.all(servers.map((server) => server.stop()));
    },
  };
}
