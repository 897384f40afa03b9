import { setTimeout as sleep } from 'node:timers/promises';
import type { Knex } from 'knex';
import { createBackoff } from '../runtime/backoff.ts';
import { type Database, openDatabase, sqlState } from './database.ts';
import {
  compareMigrations,
  isNewer,
  type Migrations,
  newerSchemaNotice,
  ownMigrations,
} from './migration-list.ts';

// Any number that no other program uses on this database.
const migrationLock = 7_303_014;
/** Shorter than a redirect waits for its code: whatever comes to wait behind the migration must not give up. */
const lockWaitMs = 400;
const tellEveryMs = 10_000;
/** Not available within lock_timeout; a deadlock that the server ended. */
const lockedStates = new Set(['55P03', '40P01']);

type Tell = (sentence: string) => void;

interface MigrateOptions {
  /** Told in words what takes long. */
  tell?: Tell;
  migrations?: Migrations;
}

/** Migrates the database at this address, and gives what was applied and what is to be said of a newer schema. */
export async function migrateDatabase(url: string, tell: Tell) {
  // No time limit for a statement: a large table takes as long as it takes.
  const db = openDatabase(url, { poolMax: 2, applicationName: 'qrelay migrations', queryTimeoutMs: 0 });
  try {
    return { applied: await migrate(db, { tell }), notice: await newerSchemaNotice(db) };
  } finally {
    await db.destroy();
  }
}

/**
 * Brings the schema up to date. Several processes may call it at once: one works, the others wait for it. One that a
 * newer release has migrated is left as it is: migrations only add, so the release before can work with it.
 */
export async function migrate(
  db: Database,
  { tell = () => undefined, migrations = ownMigrations }: MigrateOptions = {},
): Promise<string[]> {
  return db.transaction(async (holder) => {
    await liftTimeLimits(holder);
    await takeMigrationLock(holder, tell);
    // Ours is the only migration now, so knex's own lock can only be one that a killed process left behind.
    const { known, pending, unknown } = await compareMigrations(db, migrations);
    const options: Knex.MigratorConfig = {
      migrationSource: limitLockWaits(migrations),
      tableName: 'migrations',
      // To knex, one that it has no file of is an error wherever it stands.
      disableMigrationsListValidation: unknown.every((name) => isNewer(name, known)),
    };
    await db.migrate.forceFreeMigrationsLock(options);
    const applied: string[] = [];
    // One at a time, each in a transaction of its own: knex's `latest` would hold the locks of all until the last is done.
    for (const name of pending) {
      applied.push(...(await withProgress(name, tell, () => applyNext(db, options, name, tell))));
    }
    // Nothing is left, but knex's check of the list is wanted where nothing was pending too.
    await db.migrate.latest(options);
    return applied;
  });
}

/** Applies the next migration; tries again for as long as others hold a lock it needs. */
async function applyNext(
  db: Database,
  options: Knex.MigratorConfig,
  name: string,
  tell: Tell,
): Promise<string[]> {
  const backoff = createBackoff({ firstMs: 500, longestMs: 5_000 });
  for (let attempt = 1; ; attempt += 1) {
    try {
      const [, applied] = (await db.migrate.up(options)) as [number, string[]];
      return applied;
    } catch (error) {
      if (!lockedStates.has(sqlState(error) ?? '')) throw error;
      if (attempt === 1) {
        tell(
          `Migration ${name} needs a lock that another transaction holds, and is tried again until it is free. The oldest xact_start in pg_stat_activity tells which one that is.`,
        );
      }
      // Those who queued up behind our wait for the lock go first.
      await sleep(backoff.next(0));
    }
  }
}

/** Whoever asks for a locked table waits behind us, so we wait for a moment only. */
function limitLockWaits(migrations: Migrations): Migrations {
  return {
    ...migrations,
    async getMigration(file) {
      const { up, ...rest } = await migrations.getMigration(file);
      return {
        ...rest,
        async up(knex) {
          // One that is made to run outside of a transaction takes no lock that stops others.
          if (knex.isTransaction) {
            await liftTimeLimits(knex);
            await knex.raw(`SET LOCAL lock_timeout = '${lockWaitMs}ms'`);
          }
          return up(knex);
        },
      };
    },
  };
}

/** Lifts, for a transaction, the limits that the server, the role or our own connections set. */
async function liftTimeLimits(knex: Knex): Promise<void> {
  await knex.raw('SET LOCAL statement_timeout = 0');
  await knex.raw('SET LOCAL idle_in_transaction_session_timeout = 0');
}

async function takeMigrationLock(holder: Knex, tell: Tell): Promise<void> {
  const backoff = createBackoff({ firstMs: 50, longestMs: 1_000 });
  for (let attempt = 1; ; attempt += 1) {
    const { rows } = (await holder.raw('SELECT pg_try_advisory_xact_lock(?) AS taken', [migrationLock])) as {
      rows: [{ taken: boolean }];
    };
    if (rows[0].taken) return;
    if (attempt === 8) tell('Another process migrates this database; waiting for it.');
    await sleep(backoff.next(0));
  }
}

async function withProgress<Value>(name: string, tell: Tell, work: () => Promise<Value>): Promise<Value> {
  const startedAt = Date.now();
  const timer = setInterval(() => {
    const seconds = Math.round((Date.now() - startedAt) / 1000);
    tell(`Migration ${name} is not done after ${seconds} s; it has as long as it needs.`);
  }, tellEveryMs);
  try {
    return await work();
  } finally {
    clearInterval(timer);
  }
}

export async function rollBackAll(db: Database): Promise<void> {
  await db.migrate.rollback({ migrationSource: ownMigrations, tableName: 'migrations' }, true);
}
