import { chmod, chown, copyFile, mkdir, mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEmbeddedPostgres } from '../../src/store/embedded/server.ts';
import { createCertificate } from './certificate.ts';

export interface TlsPostgres {
  /** Without any `sslmode`. */
  url: string;
  /** The certificate of the authority that nobody knows. */
  caFile: string;
  /** Gives the server a certificate that has expired. */
  expire(): Promise<void>;
  stop(): Promise<void>;
}

/** A PostgreSQL that speaks TLS, with a certificate for localhost of a self-made authority. Undefined without openssl. */
export async function startTlsPostgres(): Promise<TlsPostgres | undefined> {
  const folder = await mkdtemp(join(tmpdir(), 'qrelay-tls-'));
  const certificate = await createCertificate(folder);
  if (!certificate) return undefined;
  const dataDir = join(folder, 'data');
  await mkdir(dataDir);

  // Once without TLS, to have a cluster in which the files can lie that only its user may read.
  const first = await startEmbeddedPostgres({ dataDir });
  await first.stop();
  const cluster = join(dataDir, 'postgres');
  const { uid, gid } = await stat(cluster);
  for (const name of ['server.crt', 'server.key']) {
    const file = join(cluster, name);
    await copyFile(join(folder, name), file);
    await chown(file, uid, gid);
    await chmod(file, 0o600);
  }
  const postgres = await startEmbeddedPostgres({ dataDir, settings: ['ssl=on'] });
  const url = new URL(postgres.url);
  url.hostname = 'localhost';
  return {
    url: url.href,
    caFile: certificate.caFile,
    async expire() {
      certificate.expire();
      // Written over, so that it keeps its owner.
      await copyFile(certificate.certFile, join(cluster, 'server.crt'));
      const [pid] = (await readFile(join(cluster, 'postmaster.pid'), 'utf8')).split('\n');
      process.kill(Number(pid), 'SIGHUP');
    },
    async stop() {
      await postgres.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
