import { loadSecrets } from '../accounts/secrets.ts';
import type { Config } from '../config.ts';
import { findMissingCodes } from '../codes/missing-codes.ts';
import { isOnRedis, type QueuePlace, queuePlace } from '../queue/queue-connection.ts';
import { sampleScanJobs } from '../queue/queue-access.ts';
import { canOpen, listScans, type ScanJob } from '../queue/scan-jobs.ts';
import type { Database } from '../store/database.ts';
import { attempt, findDatabase, requireValid } from './attempt.ts';
import { checkBackup } from './backup.ts';
import { invalidVariables } from './configuration.ts';
import { type Finding, findingsFor } from './finding.ts';
import { pluralize } from './format.ts';
import { checkData } from './restored-data.ts';
import { checkSecret } from './secret.ts';
import { checkAgreement } from './queue.ts';
import { checkSpool } from './spool.ts';
import { withConnection } from './with-connection.ts';

const { ok, warning, failure } = findingsFor('queue');

/** Jobs that are read of each queue. */
const sampledJobs = 200;

interface BackupChecksOptions {
  config: Config;
  errors?: string[];
  nowMs?: () => number;
}

/** What a backup of this installation must contain, and whether restored data is complete. Changes nothing and never rejects. */
export async function runBackupChecks({
  config,
  errors = [],
  nowMs = Date.now,
}: BackupChecksOptions): Promise<Finding[]> {
  let databaseUrl = '';
  const backup = await attempt('backup', async () => {
    for (const name of ['DATABASE_URL', 'QRELAY_SECRET']) requireValid('backup', name, errors);
    databaseUrl = await findDatabase(config);
    return withConnection(databaseUrl, (db) => checkBackup(db, config.databaseUrl === undefined, nowMs()));
  });
  const spool = await attempt('spool', () => checkSpool(config, nowMs));
  const invalid = invalidVariables(errors);
  if (!backup.completed) return [...invalid, ...backup.findings, ...spool.findings];
  const secret = await attempt('secret', () => checkSecret(databaseUrl, config));
  const data = await attempt('data', () => withConnection(databaseUrl, (db) => checkData(db, nowMs)));
  const queue = await attempt('queue', () => {
    requireValid('queue', 'REDIS_URL', errors);
    const place = queuePlace(config, databaseUrl);
    return withConnection(databaseUrl, async (db) => [
      ...(await checkAgreement(db, place)),
      ...(await checkJobs(db, place, config.rootSecrets)),
    ]);
  });
  return [
    ...invalid,
    ...backup.findings,
    ...secret.findings,
    ...data.findings,
    ...queue.findings,
    ...spool.findings,
  ];
}

/** Whether the jobs that wait fit the database: after a restore, either may be older than the other. */
async function checkJobs(
  db: Database,
  place: QueuePlace,
  rootSecrets: readonly string[],
): Promise<Finding[]> {
  const { total, jobs } = await sampleScanJobs(place, sampledJobs);
  const waiting = `${pluralize(total, 'job')} of scans ${total === 1 ? 'waits' : 'wait'}`;
  const findings = [
    isOnRedis(place)
      ? ok(`${waiting} in Redis; a backup of PostgreSQL does not contain them.`)
      : ok(`${waiting} in PostgreSQL, and a backup of it contains them.`),
  ];
  const { openingKeys } = await loadSecrets(db, rootSecrets);
  const sealed = jobs.filter(({ sealedAddresses }) => !canOpen(sealedAddresses, openingKeys)).length;
  if (sealed > 0)
    findings.push(
      failure(
        `${sealed} of ${pluralize(jobs.length, 'job')} in a sample cannot be decrypted with the secrets here: their scans wait, and fail after a day.`,
        'Add the secret that was used before to the end of QRELAY_SECRET, restart the workers, and run `qrelay queue retry`.',
      ),
    );
  return [...findings, ...(await checkCodes(db, jobs))];
}

async function checkCodes(db: Database, jobs: ScanJob[]): Promise<Finding[]> {
  const codeIds = jobs.flatMap((job) => listScans(job).map(([, codeId]) => codeId));
  const missing = await findMissingCodes(db, [...new Set(codeIds)]);
  if (missing.size === 0) return [];
  const scans = codeIds.filter((codeId) => missing.has(codeId)).length;
  return [
    warning(
      `${scans} of ${pluralize(codeIds.length, 'scan')} in a sample of the jobs belong to ${pluralize(missing.size, 'code')} that the database does not have: workers discard them, like scans of deleted codes.`,
      'If the codes are missing because of a restore, stop the workers and recover to a later time, if there is one.',
    ),
  ];
}
