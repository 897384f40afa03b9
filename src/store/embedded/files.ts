import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** The files of the embedded database in DATA_DIR. */
export function embeddedFiles(dataDir: string) {
  const cluster = join(dataDir, 'postgres');
  return {
    cluster,
    /** A new cluster is created here and renamed when it is complete. */
    unfinished: join(dataDir, 'postgres.unfinished'),
    /** The superuser's password; exists only while initdb runs. */
    password: join(dataDir, 'postgres.password'),
    credentials: 'qrelay-credentials.json',
    version: join(cluster, 'PG_VERSION'),
    pid: join(cluster, 'postmaster.pid'),
    log: join(dataDir, 'postgres.log'),
  };
}

export interface Credentials {
  /** Password of the role `postgres`, the superuser. */
  superuser: string;
  /** Password of the role `qrelay`, which owns the database `qrelay` and nothing else. */
  service: string;
}

export async function readCredentials(dataDir: string): Promise<Credentials> {
  const files = embeddedFiles(dataDir);
  return JSON.parse(await readFile(join(files.cluster, files.credentials), 'utf8')) as Credentials;
}

/** Reads the server's PID file, which is still there after the server was killed. */
export async function readPostmaster(dataDir: string): Promise<{ pid: number; port: number } | undefined> {
  const { pid: file } = embeddedFiles(dataDir);
  if (!existsSync(file)) return undefined;
  const lines = (await readFile(file, 'utf8')).split('\n');
  const [pid, port] = [Number(lines[0]), Number(lines[3])];
  return pid > 0 && port > 0 ? { pid, port } : undefined;
}

export function serviceUrl(port: number, { service }: Credentials): string {
  return `postgres://qrelay:${service}@127.0.0.1:${port}/qrelay`;
}
