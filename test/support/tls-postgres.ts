import { spawnSync } from 'node:child_process';
import { chmod, chown, copyFile, mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEmbeddedPostgres } from '../../src/store/embedded/server.ts';
import { findProgram } from './find-program.ts';

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
  const program = findProgram('openssl');
  if (!program) return undefined;
  const folder = await mkdtemp(join(tmpdir(), 'qrelay-tls-'));
  const dataDir = join(folder, 'data');
  await mkdir(dataDir);
  const openssl = (...args: string[]) => {
    const { status, stderr } = spawnSync(program, args, { cwd: folder, encoding: 'utf8' });
    if (status !== 0) throw new Error(`openssl ${args[0]}: ${stderr}`);
  };
  await writeFile(join(folder, 'names'), 'subjectAltName=DNS:localhost\n');
  openssl(
    ...'req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=Qrelay-Test-CA -keyout ca.key -out ca.pem'.split(
      ' ',
    ),
  );
  openssl(...'req -newkey rsa:2048 -nodes -subj /CN=localhost -keyout server.key -out server.csr'.split(' '));
  const sign = (days: number) =>
    openssl(
      ...`x509 -req -in server.csr -CA ca.pem -CAkey ca.key -CAcreateserial -days ${days} -extfile names -out server.crt`.split(
        ' ',
      ),
    );
  sign(90);

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
    caFile: join(folder, 'ca.pem'),
    async expire() {
      sign(-1);
      // Written over, so that it keeps its owner.
      await copyFile(join(folder, 'server.crt'), join(cluster, 'server.crt'));
      const [pid] = (await readFile(join(cluster, 'postmaster.pid'), 'utf8')).split('\n');
      process.kill(Number(pid), 'SIGHUP');
    },
    async stop() {
      await postgres.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
