import { readdir } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Knex } from 'knex';
import { createBackoff } from '../runtime/backoff.ts';
import { type Database, openDatabase, sqlState } from './database.ts';

// An arbitrary number that no other program should use on this database.
const migrationLock = 7_303_014;
/** Shorter than the timeout of a redirect's lookup, so that statements queued behind the migration do not time out. */
const lockWaitMs = 400;
/** lock_timeout reached; deadlock detected. */
const lockedStates = new Set(['55P03', '40P01']);

type Report = (message: string) => void;

interface MigrateOptions {
  /** Called with progress messages when something takes long. */
  report?: Report;
  progressEveryMs?: number;
  migrations?: Migrations;
}

/**
 * Migrates the database, then prepares it with `prepare`. Returns the applied migrations, or a notice if the schema is
 * newer than this release: then it is left unchanged.
 */
export async function migrateDatabase(
  url: string,
  report: Report,
  prepare: (db: Database) => Promise<unknown> = async () => undefined,
) {
  return withMigrationConnection(url, async (db) => {
    const applied = await migrate(db, { report });
    const notice = await newerSchemaNotice(db);
    if (!notice) await prepare(db);
    return { applied, notice };
  });
}

/** Drops what migrations kept for processes of the previous release, which cannot run on the schema any more. */
export async function finishUpgrade(url: string, report: Report): Promise<void> {
  await withMigrationConnection(url, (db) =>
    retryWhileLocked('The last step of the upgrade', report, () =>
      db.transaction(async (transaction) => {
        await transaction.raw(`SET LOCAL lock_timeout = '${lockWaitMs}ms'`);
        await transaction.raw('DROP INDEX IF EXISTS scans_id, scan_counters_city');
      }),
    ),
  );
}

async function withMigrationConnection<Value>(
  url: string,
  work: (db: Database) => Promise<Value>,
): Promise<Value> {
  // No statement timeout: migrating a large table may take long.
  const db = openDatabase(url, { poolMax: 2, applicationName: 'qrelay migrations', queryTimeoutMs: 0 });
  try {
    return await work(db);
  } finally {
    await db.destroy();
  }
}

/**
 * Brings the schema up to date. Several processes may call it at once: one migrates, the others wait. A schema that a newer
 * release has migrated is left unchanged; migrations only add to it, so the previous release can use it.
 */
export async function migrate(
  db: Database,
  { report = () => undefined, progressEveryMs = 10_000, migrations = ownMigrations }: MigrateOptions = {},
): Promise<string[]> {
  return db.transaction(async (holder) => {
    await disableTimeouts(holder);
    await takeMigrationLock(holder, report);
    // We hold the advisory lock, so knex's own lock can only be left over from a killed process.
    const { known, pending, unknown } = await compareMigrations(db, migrations);
    const options: Knex.MigratorConfig = {
      migrationSource: limitLockWaits(migrations),
      tableName: 'migrations',
      // knex rejects every applied migration that it has no file for. We accept those of a newer release.
      disableMigrationsListValidation: unknown.every((name) => isNewer(name, known)),
    };
    await db.migrate.forceFreeMigrationsLock(options);
    const applied: string[] = [];
    // One at a time, each in its own transaction: knex's `latest` would hold all locks until the last one is done.
    for (const name of pending) {
      const applyNext = async () => ((await db.migrate.up(options)) as [number, string[]])[1];
      const apply = () => retryWhileLocked(`Migration ${name}`, report, applyNext);
      applied.push(...(await withProgress({ name, report, everyMs: progressEveryMs }, apply)));
    }
    // Nothing is pending any more; this runs knex's validation of the list.
    await db.migrate.latest(options);
    return applied;
  });
}

/** Retries while other transactions hold a lock that the work needs. */
async function retryWhileLocked<Value>(
  name: string,
  report: Report,
  work: () => Promise<Value>,
): Promise<Value> {
  const backoff = createBackoff({ firstMs: 500, longestMs: 5_000 });
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      if (!lockedStates.has(sqlState(error) ?? '')) throw error;
      if (attempt === 1) {
        report(
          `${name} needs a lock that another transaction holds, and is retried until it is free. The blocking session probably has the oldest xact_start in pg_stat_activity.`,
        );
      }
      // Lets the statements run that queued behind our lock request.
      await sleep(backoff.next(0));
    }
  }
}

/** Statements on the table queue behind our lock request, so each attempt waits only briefly. */
function limitLockWaits(migrations: Migrations): Migrations {
  return {
    ...migrations,
    async getMigration(file) {
      const { up, ...rest } = await migrations.getMigration(file);
      return {
        ...rest,
        async up(knex) {
          // A migration outside a transaction (CREATE INDEX CONCURRENTLY) takes no blocking lock.
          if (knex.isTransaction) {
            await disableTimeouts(knex);
            await knex.raw(`SET LOCAL lock_timeout = '${lockWaitMs}ms'`);
          }
          return up(knex);
        },
      };
    },
  };
}

/** Disables timeouts of the server, the role and our own connections for this transaction. */
async function disableTimeouts(knex: Knex): Promise<void> {
  await knex.raw('SET LOCAL statement_timeout = 0');
  await knex.raw('SET LOCAL idle_in_transaction_session_timeout = 0');
}

async function takeMigrationLock(holder: Knex, report: Report): Promise<void> {
  const backoff = createBackoff({ firstMs: 50, longestMs: 1_000 });
  for (let attempt = 1; ; attempt += 1) {
    // Without bound values: with them, the statement would keep its snapshot, and CREATE INDEX CONCURRENTLY wait for it.
    const { rows } = (await holder.raw(`SELECT pg_try_advisory_xact_lock(${migrationLock}) AS taken`)) as {
      rows: [{ taken: boolean }];
    };
    if (rows[0].taken) return;
    if (attempt === 8) report('Another process is migrating this database; waiting for it.');
    await sleep(backoff.next(0));
  }
}

async function withProgress<Value>(
  { name, report, everyMs }: { name: string; report: Report; everyMs: number },
  work: () => Promise<Value>,
): Promise<Value> {
  const startedAt = Date.now();
  const timer = setInterval(() => {
    const seconds = Math.round((Date.now() - startedAt) / 1000);
    report(`Migration ${name} is still running after ${seconds} s. There is no time limit.`);
  }, everyMs);
  try {
    return await work();
  } finally {
    clearInterval(timer);
  }
}

export async function rollBackAll(db: Database): Promise<void> {
  await db.migrate.rollback({ migrationSource: ownMigrations, tableName: 'migrations' }, true);
}

export type Migrations = Knex.MigrationSource<string>;

const folder = new URL('../../migrations/', import.meta.url);

/** Names have no extension, because the same migration is `.ts` in development and `.js` once built. */
export const ownMigrations: Migrations = {
  async getMigrations() {
    const files = await readdir(fileURLToPath(folder));
    return files.filter((file) => /^\d{4}-[a-z0-9-]+\.(ts|js)$/.test(file)).toSorted();
  },
  getMigrationName: (file) => file.replace(/\.(ts|js)$/, ''),
  getMigration: (file) => import(new URL(file, folder).href) as Promise<Knex.Migration>,
};

/** The warning for a release that runs on the schema of a newer one. */
export async function newerSchemaNotice(db: Database): Promise<string | undefined> {
  const { unknown } = await compareMigrations(db);
  return unknown.length === 0
    ? undefined
    : `The schema is newer than this release: it has the migrations ${unknown.join(', ')} of a later one. It was not changed.`;
}

/** Names start with their number, so they sort by age. */
export function isNewer(name: string, known: string[]): boolean {
  return known.every((other) => name > other);
}

interface Comparison {
  known: string[];
  pending: string[];
  unknown: string[];
}

/** What `migrate` would apply, and what a newer release has applied. Read-only, unlike knex's own list, which creates its tables. */
export async function compareMigrations(db: Database, migrationSource = ownMigrations): Promise<Comparison> {
  const files = await migrationSource.getMigrations([]);
  const known = files.map((file) => migrationSource.getMigrationName(file));
  const applied: string[] = (await db.schema.hasTable('migrations'))
    ? await db('migrations').orderBy('id').pluck<string[]>('name')
    : [];
  return {
    known,
    pending: known.filter((name) => !applied.includes(name)),
    unknown: applied.filter((name) => !known.includes(name)),
  };
}
