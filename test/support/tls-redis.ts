import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { createCertificate } from './certificate.ts';
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
  const folder = await mkdtemp(join(tmpdir(), 'qrelay-tls-redis-'));
  const certificate = await createCertificate(folder);
  if (!certificate) return undefined;
  const { certFile, keyFile, caFile } = certificate;
  const port = await freePort();
  const files = { cert: certFile, key: keyFile, 'ca-cert': caFile };
  const settings = Object.entries(files).flatMap(([name, file]) => [`--tls-${name}-file`, file]);
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
    caFile,
    async expire() {
      certificate.expire();
      const admin = new Redis(server.url);
      await admin.config('SET', 'tls-cert-file', certFile);
      admin.disconnect();
    },
    async stop() {
      await server.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
