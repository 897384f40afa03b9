import { dayMs, hourMs } from '../runtime/units.ts';
import { codesWithScans, compareSpan, countedSpans } from '../scans/counters.ts';
import { listPartitions, readNewestScans } from '../scans/partitions.ts';
import { countDeletedCodes } from '../scans/purge-deleted-codes.ts';
import { type Database, plainMessage } from '../store/database.ts';
import { readRow } from './connection.ts';
import { type Finding, findingsFor, type Found, found } from './finding.ts';
import { formatBytes, formatDuration, pluralize, withoutPeriod } from './format.ts';
import { assessGaps, checkSchema } from './postgres.ts';

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
  const facts = await readRow<BackupFacts>(db, factsStatement);
  // The last base backup leaves a history file among the WAL files, until the next one.
  const lastBase = facts.canSeeBaseBackups
    ? await readRow<{ at: Date | null }>(
        db,
        "SELECT max(modification) AS at FROM pg_ls_waldir() WHERE name LIKE '%.backup'",
      )
    : undefined;
  return assessBackup(facts, lastBase?.at ?? undefined, isEmbedded, nowMs);
}

export function assessBackup(
  facts: BackupFacts,
  lastBase: Date | undefined,
  isEmbedded: boolean,
  nowMs: number,
): Finding[] {
  return found(
    ok(`The database takes ${formatBytes(facts.bytes)}.`),
    isEmbedded
      ? warning(
          'The embedded database has no backup of its own.',
          `Stop the service regularly and copy DATA_DIR, or move to a PostgreSQL server of your own. ${guide}`,
        )
      : assessServer(facts, lastBase, nowMs),
  );
}

function assessServer(facts: BackupFacts, lastBase: Date | undefined, nowMs: number): Found {
  if (facts.isInRecovery)
    return failure(
      'The server is in recovery and accepts no writes.',
      'If it has reached the time that you want to go back to, run `SELECT pg_wal_replay_resume()` as a superuser: it ends the recovery. If it is a standby, point DATABASE_URL at the primary.',
    );
  return [assessArchive(facts, nowMs), assessBaseBackup(facts, lastBase, nowMs)];
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

const data = findingsFor('data');

/** Codes whose counters are compared, and for how long at most. */
const sampleCodes = 50;
const sampleMs = 4_000;

/** Whether the data is complete and fits together, as far as a short look can tell. */
export async function checkData(db: Database, nowMs: () => number): Promise<Found> {
  const schema = await checkSchema(db, nowMs);
  const asData = (findings: Finding[]) => findings.map((one) => ({ ...one, subject: 'data' as const }));
  if (schema.some(({ state }) => state === 'failure')) return asData(schema);
  const { newestAt, codeIds } = await readNewestScans(db, sampleCodes);
  return [
    asData(schema),
    asData(assessGaps(await listPartitions(db))),
    assessNewest(newestAt, nowMs()),
    await compareCounters(
      db,
      codeIds.length > 0 ? codeIds : await codesWithScans(db, undefined, sampleCodes),
    ),
    await checkSequences(db),
    assessDeleted(await countDeletedCodes(db)),
  ];
}

/** Counted against recorded scans of the codes that were scanned last. */
export async function checkNewestCounters(db: Database): Promise<Finding> {
  const { codeIds } = await readNewestScans(db, sampleCodes);
  const compared = await compareCounters(db, codeIds);
  // While scans are recorded, an operator has other worries than after a restore.
  return { ...compared, subject: 'queue', state: compared.state === 'failure' ? 'warning' : compared.state };
}

function assessNewest(newestAt: Date | undefined, nowMs: number): Finding {
  if (!newestAt) return data.ok('No scan has been recorded yet.');
  const age = formatDuration(Math.max(0, nowMs - newestAt.getTime()));
  return data.ok(`The newest recorded scan is ${age} old (${newestAt.toISOString()}).`);
}

/** The last days of each code: what a restore or a crash may have cut. */
async function compareCounters(db: Database, codeIds: string[]): Promise<Finding> {
  const endsAt = performance.now() + sampleMs;
  let [codes, days, wrong] = [0, 0, 0];
  try {
    for (const codeId of codeIds) {
      if (performance.now() > endsAt) break;
      const span = (await countedSpans(db, codeId)).at(-1);
      if (!span) continue;
      wrong += (await compareSpan(db, codeId, span)).length;
      codes += 1;
      days += span.days;
    }
  } catch (error) {
    return data.warning(
      `Counters could not be compared with the scans: ${withoutPeriod(plainMessage(error as Error))}.`,
      'Run `qrelay counters verify`, which takes the time that it needs.',
    );
  }
  const sample = `a sample of ${pluralize(codes, 'code')} and ${pluralize(days, 'day')}`;
  if (codes === 0) return data.ok('There are no counters to compare.');
  if (wrong === 0)
    return data.ok(
      `The counters agree with the scans in ${sample}. \`qrelay counters verify\` compares all.`,
    );
  return data.failure(
    `${pluralize(wrong, 'counter')} ${wrong === 1 ? 'differs' : 'differ'} from the scans in ${sample}: analytics are wrong.`,
    'Run `qrelay counters rebuild`; scans may arrive meanwhile.',
  );
}

async function checkSequences(db: Database): Promise<Found> {
  const late = await findLateSequences(db);
  if (late.length === 0) return data.ok('All sequences are ahead of their tables.');
  return late.map(({ table, column }) =>
    data.failure(
      `The sequence of ${table}.${column} is behind the table: inserts fail.`,
      `Run \`SELECT setval(pg_get_serial_sequence('${table}', '${column}'), max(${column})) FROM ${table}\`.`,
    ),
  );
}

function assessDeleted(waiting: number): Finding {
  if (waiting === 0) return data.ok('No deleted code waits to be purged.');
  return data.warning(
    `${pluralize(waiting, 'deleted code')} ${waiting === 1 ? 'waits' : 'wait'} to be purged.`,
    'Workers do it every 10 seconds. If the number stays, read their log.',
  );
}

/** A column whose next generated value is taken already. */
interface LateSequence {
  table: string;
  column: string;
}

/** A copy that restored rows but not sequences makes the next inserts fail. */
async function findLateSequences(db: Database): Promise<LateSequence[]> {
  const { rows } = (await db.raw(
    `SELECT format('%I.%I', space.nspname, owner.relname) AS "table", attname AS "column",
            coalesce(pg_sequence_last_value(sequence.oid), 0) AS last
     FROM pg_depend JOIN pg_class AS sequence ON sequence.oid = objid AND sequence.relkind = 'S'
     JOIN pg_class AS owner ON owner.oid = refobjid
     JOIN pg_namespace AS space ON space.oid = owner.relnamespace
     JOIN pg_attribute ON attrelid = owner.oid AND attnum = refobjsubid
     WHERE classid = 'pg_class'::regclass AND refclassid = 'pg_class'::regclass AND deptype IN ('a', 'i')
       AND has_table_privilege(owner.oid, 'SELECT')`,
  )) as { rows: (LateSequence & { last: number })[] };
  const late: LateSequence[] = [];
  for (const { table, column, last } of rows) {
    const { rows: checked } = (await db.raw(
      `SELECT EXISTS (SELECT FROM ${table} WHERE :column: > :last) AS "isLate"`,
      { column, last },
    )) as { rows: [{ isLate: boolean }] };
    if (checked[0].isLate) late.push({ table, column });
  }
  return late;
}
