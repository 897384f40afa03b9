import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chown, mkdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { SetupError } from '../../errors.ts';
import { type Credentials, embeddedFiles } from './files.ts';
import { exitOf, type PostgresTools, runProgram, versionOf } from './programs.ts';

/** Creates the cluster if there is none. Renamed into place when complete, so a killed initdb leaves only the unfinished folder. */
export async function ensureCluster(tools: PostgresTools, signal?: AbortSignal): Promise<void> {
  const files = embeddedFiles(tools.dataDir);
  if (existsSync(files.cluster)) return checkCluster(tools);
  // Retries, because a killed initdb may still be writing its last file.
  await rm(files.unfinished, { recursive: true, force: true, maxRetries: 10 });
  await mkdir(files.unfinished, { mode: 0o700 });
  const { owner } = tools.user;
  if (owner) await chown(files.unfinished, owner.uid, owner.gid);

  const credentials: Credentials = {
    superuser: randomBytes(24).toString('hex'),
    service: randomBytes(24).toString('hex'),
  };
  await writeFile(files.password, `${credentials.superuser}\n`, { mode: 0o600 });
  if (owner) await chown(files.password, owner.uid, owner.gid);
  let code: number | null;
  try {
    code = await runInitdb(tools, signal);
  } finally {
    await rm(files.password);
  }
  signal?.throwIfAborted();
  if (code !== 0)
    throw new SetupError(`The embedded PostgreSQL could not create its database. See ${files.log}`);
  const path = join(files.unfinished, files.credentials);
  await writeFile(path, JSON.stringify(credentials), { mode: 0o600, flush: true });
  await rename(files.unfinished, files.cluster);
}

async function runInitdb(tools: PostgresTools, signal: AbortSignal | undefined): Promise<number | null> {
  const files = embeddedFiles(tools.dataDir);
  signal?.throwIfAborted();
  const child = runProgram(tools, 'KILL', tools.binaries.initdb, [
    `--pgdata=${files.unfinished}`,
    '--username=postgres',
    '--auth=scram-sha-256',
    '--encoding=UTF8',
    '--locale=C',
    `--pwfile=${files.password}`,
  ]);
  // The process group, because initdb starts servers. The unfinished folder is discarded anyway.
  const kill = () => {
    if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, 'SIGKILL');
  };
  signal?.addEventListener('abort', kill, { once: true });
  try {
    return await exitOf(child);
  } finally {
    signal?.removeEventListener('abort', kill);
  }
}

async function checkCluster(tools: PostgresTools): Promise<void> {
  const files = embeddedFiles(tools.dataDir);
  const { uid } = await stat(files.cluster);
  const ownUid = process.getuid?.() ?? uid;
  if (ownUid !== 0 && ownUid !== uid) {
    throw new SetupError(
      `The database in ${files.cluster} belongs to another user (uid ${uid}). Start Qrelay as that user, or set DATA_DIR to another folder.`,
    );
  }
  const required = [
    files.version,
    join(files.cluster, files.credentials),
    join(files.cluster, 'global', 'pg_control'),
  ];
  const missing = required.find((path) => !existsSync(path));
  if (missing) {
    throw new SetupError(
      `The database in ${files.cluster} is incomplete: ${missing} is missing. Restore it from a backup, or move the folder away to start with an empty database.`,
    );
  }
  const found = (await readFile(files.version, 'utf8')).trim();
  const ours = await versionOf(tools.binaries.postgres);
  if (found !== ours) {
    throw new SetupError(
      `The database in ${files.cluster} was created by PostgreSQL ${found}, but the embedded version is ${ours}. Dump it with the old version and load it into a new DATA_DIR.`,
    );
  }
}
