import { spawnSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { findProgram } from './find-program.ts';
import { freePort } from './free-port.ts';
import { startOwnRedis } from './redis-server.ts';

export interface TlsRedis {
  port: number;
  /** Of the server, without TLS. */
  plainUrl: string;
  /** The certificate of the authority that nobody knows. */
  caFile: string;
  /** Gives the server a certificate that has expired. */
  expire(): Promise<void>;
  stop(): Promise<void>;
}

/** A Redis that speaks TLS, with a certificate for localhost of a self-made authority. Undefined without openssl or Redis. */
export async function startTlsRedis(): Promise<TlsRedis | undefined> {
  const program = findProgram('openssl');
  if (!program) return undefined;
  const folder = await mkdtemp(join(tmpdir(), 'qrelay-tls-redis-'));
  const openssl = (command: string) => {
    const { status, stderr } = spawnSync(program, command.split(' '), { cwd: folder, encoding: 'utf8' });
    if (status !== 0) throw new Error(`openssl ${command}: ${stderr}`);
  };
  const newKey = '-newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes';
  await writeFile(join(folder, 'names'), 'subjectAltName=DNS:localhost\n');
  openssl(`req -x509 ${newKey} -days 2 -subj /CN=Qrelay-Test-CA -keyout ca.key -out ca.pem`);
  openssl(`req ${newKey} -subj /CN=localhost -keyout server.key -out server.csr`);
  const sign = (days: number) =>
    openssl(
      `x509 -req -in server.csr -CA ca.pem -CAkey ca.key -CAcreateserial -days ${days} -extfile names -out server.crt`,
    );
  sign(90);
  const port = await freePort();
  const files = { cert: 'server.crt', key: 'server.key', 'ca-cert': 'ca.pem' };
  const settings = Object.entries(files).flatMap(([name, file]) => [
    `--tls-${name}-file`,
    join(folder, file),
  ]);
  const server = await startOwnRedis(folder, await freePort(), [
    ...settings,
    '--tls-port',
    String(port),
    '--tls-auth-clients',
    'no',
  ]);
  if (!server) return undefined;
  return {
    port,
    plainUrl: server.url,
    caFile: join(folder, 'ca.pem'),
    async expire() {
      sign(-1);
      const admin = new Redis(server.url);
      await admin.config('SET', 'tls-cert-file', join(folder, 'server.crt'));
      admin.disconnect();
    },
    async stop() {
      await server.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
