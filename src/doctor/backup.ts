import type { Database } from '../store/database.ts';
import { dayMs, hourMs } from '../runtime/units.ts';
import { type Finding, findingsFor } from './finding.ts';
import { formatBytes, formatDuration } from './format.ts';

const { ok, warning, failure } = findingsFor('backup');

const archivedToWarnMs = hourMs;
const baseBackupToWarnMs = 8 * dayMs;
const guide = 'See docs/operations/backup.md.';

/** What the server reports about its backups, read in one statement. */
export interface BackupFacts {
  bytes: number;
  isInRecovery: boolean;
  walLevel: string;
  archiveMode: string;
  lastArchivedAt: Date | null;
  lastFailedAt: Date | null;
  /** WAL files were completed since the last one was archived. */
  isBehind: boolean;
  /** Programs that read the WAL as it is written: pg_receivewal, a standby. */
  receivers: number;
  /** Only some roles may list the files that base backups leave. */
  canSeeBaseBackups: boolean;
}

const factsStatement = `
  SELECT pg_database_size(current_database())::float8 AS bytes,
         pg_is_in_recovery() AS "isInRecovery",
         current_setting('wal_level') AS "walLevel",
         current_setting('archive_mode') AS "archiveMode",
         last_archived_time AS "lastArchivedAt",
         last_failed_time AS "lastFailedAt",
         CASE WHEN pg_is_in_recovery() OR last_archived_wal !~ '^[0-9A-F]{24}' THEN false
              ELSE left(last_archived_wal, 24) < pg_walfile_name(pg_current_wal_lsn()) END AS "isBehind",
         (SELECT count(*)::integer FROM pg_stat_replication) AS receivers,
         has_function_privilege('pg_ls_waldir()', 'EXECUTE') AS "canSeeBaseBackups"
  FROM pg_stat_archiver`;

export async function checkBackup(db: Database, isEmbedded: boolean, nowMs: number): Promise<Finding[]> {
  const { rows } = (await db.raw(factsStatement)) as { rows: [BackupFacts] };
  const [facts] = rows;
  const lastBase = facts.canSeeBaseBackups ? await readLastBaseBackup(db) : undefined;
  return assessBackup(facts, lastBase, isEmbedded, nowMs);
}

/** The last base backup leaves a history file among the WAL files, until the next one. */
async function readLastBaseBackup(db: Database): Promise<Date | undefined> {
  const { rows } = (await db.raw(
    "SELECT max(modification) AS at FROM pg_ls_waldir() WHERE name LIKE '%.backup'",
  )) as { rows: [{ at: Date | null }] };
  return rows[0].at ?? undefined;
}

export function assessBackup(
  facts: BackupFacts,
  lastBase: Date | undefined,
  isEmbedded: boolean,
  nowMs: number,
): Finding[] {
  const size = ok(`The database takes ${formatBytes(facts.bytes)}.`);
  if (isEmbedded)
    return [
      size,
      warning(
        'The embedded database has no backup of its own.',
        `Stop the service regularly and copy DATA_DIR, or move to a PostgreSQL server of your own. ${guide}`,
      ),
    ];
  if (facts.isInRecovery)
    return [
      size,
      failure(
        'The server is in recovery and accepts no writes.',
        'If it has reached the time that you want to go back to, run `SELECT pg_wal_replay_resume()` as a superuser: it ends the recovery. If it is a standby, point DATABASE_URL at the primary.',
      ),
    ];
  return [size, assessArchive(facts, nowMs), assessBaseBackup(facts, lastBase, nowMs)];
}

function assessArchive(facts: BackupFacts, nowMs: number): Finding {
  const { archiveMode, walLevel, lastArchivedAt, lastFailedAt, isBehind, receivers } = facts;
  if (archiveMode === 'off') {
    if (receivers > 0)
      return ok(`The WAL is not archived by the server; ${receivers} connected to receive it.`);
    return warning(
      `The WAL is not archived (archive_mode is off, wal_level ${walLevel}): after a loss, everything since the last dump or base backup is gone.`,
      `Set archive_mode, archive_command and archive_timeout, or turn on point-in-time recovery at your provider. ${guide}`,
    );
  }
  const readLog =
    "Read PostgreSQL's log, and fix archive_command. Until then the disk of the server fills up.";
  if (lastFailedAt && (!lastArchivedAt || lastFailedAt > lastArchivedAt))
    return failure(
      `The WAL cannot be archived: the last attempt failed ${formatDuration(nowMs - lastFailedAt.getTime())} ago.`,
      readLog,
    );
  if (!lastArchivedAt)
    return warning(
      'No WAL file has been archived yet.',
      'Set archive_timeout to 60 s, so that a file is archived every minute, and run this again.',
    );
  const message = `The last WAL file was archived ${formatDuration(nowMs - lastArchivedAt.getTime())} ago`;
  if (isBehind && nowMs - lastArchivedAt.getTime() > archivedToWarnMs)
    return warning(
      `${message}: what was written since then would be lost.`,
      'Set archive_timeout to 60 s (ALTER SYSTEM SET archive_timeout = 60; SELECT pg_reload_conf();).',
    );
  return ok(`${message}.`);
}

function assessBaseBackup(
  { canSeeBaseBackups }: BackupFacts,
  lastBase: Date | undefined,
  nowMs: number,
): Finding {
  if (!canSeeBaseBackups)
    return warning(
      'This role may not see when the last base backup was taken.',
      'Run `GRANT pg_monitor TO` this role as a superuser, or check it in your backup program.',
    );
  const take = `Take one with pg_basebackup. ${guide}`;
  if (!lastBase)
    return warning(
      'No base backup was taken from this server, or none since it was restored: archived WAL is useless without one.',
      take,
    );
  const message = `The last base backup was taken ${formatDuration(nowMs - lastBase.getTime())} ago`;
  return nowMs - lastBase.getTime() > baseBackupToWarnMs ? warning(`${message}.`, take) : ok(`${message}.`);
}
