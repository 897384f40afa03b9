import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Where the embedded database lies below DATA_DIR, and what its own files say of it. */
export function embeddedFiles(dataDir: string) {
  const cluster = join(dataDir, 'postgres');
  return {
    cluster,
    /** A new cluster is made here and moved into place when it is whole. */
    unfinished: join(dataDir, 'postgres.unfinished'),
    /** The superuser's, for the moment that initdb reads it. */
    password: join(dataDir, 'postgres.password'),
    credentials: 'qrelay-credentials.json',
    version: join(cluster, 'PG_VERSION'),
    pid: join(cluster, 'postmaster.pid'),
    log: join(dataDir, 'postgres.log'),
  };
}

export interface Credentials {
  /** Of the role `postgres`, who may do everything. */
  superuser: string;
  /** Of the role `qrelay`, who owns the database of that name and nothing else. */
  service: string;
}

export async function readCredentials(dataDir: string): Promise<Credentials> {
  const files = embeddedFiles(dataDir);
  return JSON.parse(await readFile(join(files.cluster, files.credentials), 'utf8')) as Credentials;
}

/** What the server wrote of itself when it started: the file stays behind when it is killed. */
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
