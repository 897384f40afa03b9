import { purgeExports } from '../src/accounts/account-exports.ts';
import { purgeOldWindows } from '../src/accounts/request-windows.ts';
import { purgeConfirmations, purgeSignInLinks } from '../src/accounts/account-links.ts';
import { purgeResponses } from '../src/accounts/idempotent-responses.ts';
import { purgeOldSessions, purgeOneTimeSecrets } from '../src/accounts/sessions.ts';
import { purgeSentMails } from '../src/accounts/sent-mails.ts';
import { purgeOpenIdRequests } from '../src/accounts/openid-requests.ts';
import { purgeChallenges } from '../src/accounts/passkeys.ts';
import { purgeRemovedDesigns, purgeReplacedLogos } from '../src/codes/design/removed-design.ts';
import { purgeRemovedFiles } from '../src/codes/files/removed-file.ts';
import { purgeFiles } from '../src/codes/files/stored-file.ts';
import { purgeTrash } from '../src/codes/trash.ts';
import { purgeApplications } from '../src/codes/styles/style-applications.ts';
import { eraseDeletedCodes } from '../src/history/erase-deleted-codes.ts';
import { erasePeople, purgeChanges } from '../src/history/purge-changes.ts';
import { purgeDestinations } from '../src/notices/destinations.ts';
import { purgeNotices } from '../src/notices/notices.ts';
import type { PeriodicHandler, PeriodicJobName } from '../src/queue/periodic-queue.ts';
import { TryLaterError } from '../src/queue/queue-worker.ts';
import { createPartitions, dropExpiredPartitions } from '../src/scans/partitions.ts';
import { purgeDeletedCodes } from '../src/scans/purge-deleted-codes.ts';
import { type Database, isDatabaseUnavailable, isQueryCanceled } from '../src/store/database.ts';
import { purgeReports } from '../src/store/process-reports.ts';
import type { Log } from '../src/telemetry/log.ts';
import type { WorkerMetrics } from '../src/telemetry/worker-metrics.ts';
import { writeExpiringEvents } from '../src/webhooks/deliveries.ts';
import { resealSecrets } from '../src/webhooks/endpoints.ts';
import { purgeInvitations } from '../src/workspaces/invitations.ts';
import { purgeReservedSlugs } from '../src/workspaces/reserved-slugs.ts';
import { purgeCodeDeliveries, purgeDeliveries } from '../src/webhooks/purge-deliveries.ts';
import type { SecretBox } from '../src/webhooks/signing.ts';
import type { ExportUpkeep } from './export-handler.ts';

interface HousekeepingOptions {
  db: Database;
  box: SecretBox;
  historyRetentionMonths: number;
  /** Mails owners of disabled webhook endpoints who could not be told when it happened. */
  tellOwners(): Promise<void>;
  /** Never rejects. */
  exportUpkeep: ExportUpkeep;
  metrics: StepOptions['metrics'];
  log: Log;
}

export function createHousekeepingHandler({
  db,
  box,
  historyRetentionMonths,
  tellOwners,
  exportUpkeep,
  metrics,
  log,
}: HousekeepingOptions): PeriodicHandler {
  return ({ isOver }) => {
    const now = new Date();
    // Each is a statement or more of its own.
    const steps = {
      windows: () => purgeOldWindows(db),
      sessions: () => purgeOldSessions(db, now),
      oneTimeSecrets: () => purgeOneTimeSecrets(db, now),
      signInLinks: () => purgeSignInLinks(db, now),
      challenges: () => purgeChallenges(db, now),
      openIdRequests: () => purgeOpenIdRequests(db, now),
      reservedSlugs: () => purgeReservedSlugs(db, now),
      invitations: () => purgeInvitations(db, now),
      confirmations: () => purgeConfirmations(db, now),
      sentMails: () => purgeSentMails(db, now),
      responses: () => purgeResponses(db, now),
      exports: () => purgeExports(db, now, isOver),
      notices: () => purgeNotices(db, now),
      destinations: () => purgeDestinations(db, now),
      applications: () => purgeApplications(db, now),
      removedFiles: () => purgeRemovedFiles(db, now),
      removedDesigns: () => purgeRemovedDesigns(db, now, isOver),
      history: () => purgeChanges(db, { retentionMonths: historyRetentionMonths, now, isOver }),
      deletedHistories: () => eraseDeletedCodes(db, isOver),
      deletedPeople: () => erasePeople(db, isOver),
      replacedLogos: () => purgeReplacedLogos(db, now, isOver),
      reports: () => purgeReports(db),
      deliveries: () => purgeDeliveries(db, now, isOver),
      expiringEvents: () => writeExpiringEvents(db, now),
      webhookSecrets: () => resealSecrets(db, box),
      disabledWebhooks: tellOwners,
      lostExports: exportUpkeep.resume,
      finishedExports: exportUpkeep.tellOwners,
    };
    return runSteps(steps, { queue: 'housekeeping', metrics, log });
  };
}

interface PurgeHandlerOptions {
  db: Database;
  metrics: StepOptions['metrics'];
  log: Log;
}

/** The purge lets others go first before it goes on. */
const moreInMs = 2_000;

export function createPurgeHandler({ db, metrics, log }: PurgeHandlerOptions): PeriodicHandler {
  return async ({ isOver }) => {
    const purgeLog = (codeId: string) => purgeCodeDeliveries(db, codeId);
    const steps = {
      async trash() {
        const codes = await purgeTrash(db, isOver);
        if (codes > 0) log.info({ codes }, 'purged codes from the trash');
      },
      async codes() {
        const purged = await purgeDeletedCodes(db, isOver, purgeLog);
        if (purged.scans > 0 || purged.counters > 0) log.info(purged, 'purged scans of deleted codes');
      },
      async files() {
        const files = await purgeFiles(db, isOver);
        if (files > 0) log.info({ files }, 'purged deleted files');
      },
    };
    await runSteps(steps, { queue: 'purge', metrics, log });
    return isOver() ? moreInMs : undefined;
  };
}

interface PartitionHandlerOptions {
  db: Database;
  /** Undefined: raw scans are kept forever. */
  retentionMonths: number | undefined;
  metrics: Pick<WorkerMetrics, 'partitionsEnd'>;
  log: Log;
}

export function createPartitionHandler({
  db,
  retentionMonths,
  metrics,
  log,
}: PartitionHandlerOptions): PeriodicHandler {
  return async () => {
    const now = new Date();
    try {
      metrics.partitionsEnd.set((await createPartitions(db, now)).getTime() / 1000);
      if (retentionMonths === undefined) return;
      const dropped = await dropExpiredPartitions(db, retentionMonths, now);
      if (dropped.length > 0) log.info({ dropped }, 'dropped scans that were past their retention');
    } catch (cause) {
      if (isDatabaseUnavailable(cause))
        throw new TryLaterError('the partitions were not maintained', { cause });
      throw cause;
    }
  };
}

interface StepOptions {
  /** Name of the job, for logs and metrics. */
  queue: PeriodicJobName;
  metrics: Pick<WorkerMetrics, 'stepFailures'>;
  log: Log;
}

/**
 * Runs the steps of a job that repeats, each on its own: one that fails stops no other. Rejects at the end if one failed, so
 * that the job counts as failed. A step that took too long, and all steps while the database is away, are left to the next
 * run: put back, the runs of an outage would pile up.
 */
async function runSteps(
  steps: Record<string, () => Promise<unknown>>,
  { queue, metrics, log }: StepOptions,
): Promise<void> {
  const failures: { step: string; err: unknown }[] = [];
  for (const [step, run] of Object.entries(steps)) {
    try {
      await run();
    } catch (err) {
      metrics.stepFailures.inc({ queue, step });
      if (isQueryCanceled(err)) {
        log.warn({ err, queue, step }, 'a step of a job took too long; the next run tries again');
        continue;
      }
      if (isDatabaseUnavailable(err)) {
        log.warn(
          { err, queue, step },
          'a job was not finished, because the database was away; the next run does the rest',
        );
        return;
      }
      log.error({ err, queue, step }, 'a step of a job failed; the others are done');
      failures.push({ step, err });
    }
  }
  if (failures.length > 0)
    throw new Error(`Failed: ${failures.map(({ step }) => step).join(', ')}`, { cause: failures[0]?.err });
}
