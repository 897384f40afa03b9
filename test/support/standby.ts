import { spawn } from 'node:child_process';
import { chown, mkdir, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { Client } from 'pg';
import { embeddedFiles } from '../../src/store/embedded/cluster.ts';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../../src/store/embedded/server.ts';
import { eventually } from './eventually.ts';
import { outcomeOf } from './programs.ts';

export interface Standby {
  server: EmbeddedPostgres;
  port: number;
  promote(): Promise<void>;
}

/**
 * A hot standby that follows the primary by streaming replication. Unless it is to be asynchronous, a commit is
 * acknowledged when both have it.
 */
export async function startStandby(
  primary: EmbeddedPostgres,
  primaryDataDir: string,
  dataDir: string,
  { synchronous = true, settings = [] }: { synchronous?: boolean; settings?: string[] } = {},
): Promise<Standby> {
  await mkdir(dataDir, { recursive: true });
  await copyCluster(primary.superuserUrl, primaryDataDir, dataDir);
  const { port, password } = new URL(primary.superuserUrl);
  const server = await startEmbeddedPostgres({
    dataDir,
    settings: [
      `primary_conninfo=host=127.0.0.1 port=${port} user=postgres password=${password}`,
      ...settings,
    ],
  });
  await asSuperuser(server.superuserUrl, async (client) => {
    await eventually(async () => {
      const { rowCount } = await client.query(
        "SELECT 1 FROM pg_stat_wal_receiver WHERE status = 'streaming'",
      );
      expect(rowCount).to.equal(1);
    });
  });
  if (synchronous) {
    await asSuperuser(primary.superuserUrl, async (client) => {
      await client.query("ALTER SYSTEM SET synchronous_standby_names = '*'");
      await client.query('SELECT pg_reload_conf()');
    });
  }
  return {
    server,
    port: Number(new URL(server.url).port),
    promote: () =>
      asSuperuser(server.superuserUrl, async (client) => {
        await client.query('SELECT pg_promote(true, 30)');
      }),
  };
}

/** What pg_basebackup does, which the embedded package does not bring. */
async function copyCluster(superuserUrl: string, fromDataDir: string, toDataDir: string): Promise<void> {
  const { cluster: from } = embeddedFiles(fromDataDir);
  const { cluster: to, pid } = embeddedFiles(toDataDir);
  await asSuperuser(superuserUrl, async (client) => {
    await client.query("SELECT pg_backup_start('standby', true)");
    const { code, stderr } = await outcomeOf(spawn('cp', ['-a', from, to]));
    // A file that the server removes meanwhile is no part of the backup.
    expect(code, stderr).to.be.oneOf([0, 1]);
    const { rows } = await client.query<{ labelfile: string }>('SELECT labelfile FROM pg_backup_stop(false)');
    await rm(pid, { force: true });
    const { uid, gid } = await stat(from);
    for (const [name, text] of [
      ['backup_label', rows[0]?.labelfile ?? ''],
      ['standby.signal', ''],
    ] as const) {
      await writeFile(join(to, name), text, { mode: 0o600 });
      await chown(join(to, name), uid, gid);
    }
  });
}

export async function asSuperuser(url: string, work: (client: Client) => Promise<void>): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    await work(client);
  } finally {
    await client.end();
  }
}
