import { loadSecrets } from '../src/accounts/secrets.ts';
import { createLogos, proofsWithLogos } from '../src/codes/design/stored-logo.ts';
import { openProofs, type Proofs } from '../src/codes/proof/proofs.ts';
import { type Config, loadConfig } from '../src/config.ts';
import { createMailer } from '../src/mail/mailer.ts';
import { logConnectionCounts } from '../src/queue/connection-counts.ts';
import { logConnectionErrors } from '../src/queue/redis-errors.ts';
import { type MailRequest, mailQueue, packMail } from '../src/queue/mail-queue.ts';
import { changesJob, retiredQueues } from '../src/queue/periodic-queue.ts';
import { type QueuePlace, addJob, connectToQueues, isOnRedis } from '../src/queue/queue-connection.ts';
import type { QueueDefinition } from '../src/queue/queue-definition.ts';
import { openQueueAgreement } from '../src/queue/queue-agreement.ts';
import { type JobHandler, type QueueWorker, openQueueWorkers } from '../src/queue/queue-worker.ts';
import { allQueues, exportQueue, queues } from '../src/queue/queues.ts';
import { openWorkerPool, workerPoolSizes } from '../src/queue/postgres-engine.ts';
import { applicationName, poolSizes } from '../src/store/pool-sizes.ts';
import { openDatabase } from '../src/store/database.ts';
import { createAddressPolicy } from '../src/net/address-policy.ts';
import { createOutboundRequest, resolveBySystem } from '../src/net/outbound-request.ts';
import type { Log, RecentErrors } from '../src/telemetry/log.ts';
import { addPoolMetrics, probeDatabase } from '../src/telemetry/process-metrics.ts';
import { openTracing } from '../src/telemetry/tracing.ts';
import { startReports } from '../src/store/process-reports.ts';
import {
  type WorkerMetrics,
  addGeoMetrics,
  addWebhookMetrics,
  countWorker,
  createWorkerMetrics,
} from '../src/telemetry/worker-metrics.ts';
import { readBacklog } from '../src/webhooks/deliveries.ts';
import { createSecretBox } from '../src/webhooks/signing.ts';
import { createExportUpkeep } from './export-handler.ts';
import { createHandlers } from './handlers.ts';
import { createScanTraces, traceJobs } from './traces.ts';
import { createLookups } from './enrich.ts';
import { openPlaces } from './places.ts';
import { createRecordingAudit } from './recording-audit.ts';
import { createWebhookDeliverer, createWebhookNotices } from './webhook-deliverer.ts';

const auditMs = 60_000;
/** A statement records one batch: if it takes longer, the server does not respond. */
const recordTimeoutMs = 6_000;
/** A locked counter must not delay the scans of other codes for longer. */
const recordLockTimeoutMs = 1_000;
/** Timeout of a request to the address behind a code. Must be below `drainLimitMs`. */
const checkTimeoutMs = 8_000;
/** Stored of the response of a webhook endpoint. */
const maxResponseBytes = 1_000;

export interface WorkerService {
  /** Finishes the jobs that are running, and closes every connection. */
  close(): Promise<void>;
}

interface WorkerOptions {
  metrics?: WorkerMetrics;
  config?: Config;
  proofs?: Proofs;
  /** Shown on the operator pages. */
  errors?: RecentErrors;
}

/** The worker process: a worker for each queue, and the recording audit. */
export async function openWorkerService(
  place: QueuePlace,
  log: Log,
  {
    metrics = createWorkerMetrics(),
    config = loadConfig({}),
    proofs: givenProofs = openProofs(log),
    errors,
  }: WorkerOptions = {},
): Promise<WorkerService> {
  // First: a file that cannot be used must not leave connections open.
  const places = await openPlaces(config.geoDatabase, log);
  addGeoMetrics(metrics.registry, places, Date.now);
  const db = openDatabase(place.databaseUrl, {
    poolMax: config.workerPoolSize,
    applicationName: applicationName('worker', { rootSecrets: config.rootSecrets }),
    queryTimeoutMs: recordTimeoutMs,
    lockTimeoutMs: recordLockTimeoutMs,
    keepsOne: true,
  });
  addPoolMetrics(metrics.registry, db);
  const databaseProbe = probeDatabase(metrics.registry, db);
  const secrets = await loadSecrets(db, config.rootSecrets);
  const { sealingKey, openingKeys, webhookKeys, openMail, sealMail, hashEmail, unsubscribeToken } = secrets;
  await logConnectionCounts('worker', { ...config, redisUrl: place.redisUrl }, db, log);
  // Not the pool that records: an error of a connection cannot be seen through that connection.
  const auditDb = openDatabase(place.databaseUrl, {
    poolMax: poolSizes.worker.audit,
    applicationName: 'qrelay audit',
  });
  const audit = createRecordingAudit(auditDb, metrics, log);
  const webhookDb = openDatabase(place.databaseUrl, {
    poolMax: poolSizes.worker.webhooks,
    applicationName: 'qrelay webhooks',
  });
  const backgroundDb = openDatabase(place.databaseUrl, {
    poolMax: poolSizes.worker.background,
    applicationName: 'qrelay background',
  });
  const sharedPool = isOnRedis(place)
    ? undefined
    : openWorkerPool(place.databaseUrl, {
        size: workerPoolSizes(allQueues).shared,
        queues: allQueues.filter(({ hasOwnPool }) => !hasOwnPool).length,
        onError: logConnectionErrors(log),
      });
  const jobs = connectToQueues(place, log, { pool: sharedPool });
  const sendMail =
    config.mail &&
    ((request: MailRequest, id: string) => addJob(jobs, mailQueue, packMail(request, sealMail, id)));
  const tellOwners = createWebhookNotices({ db: webhookDb, sendMail, log });
  const exportUpkeep = createExportUpkeep({
    db: backgroundDb,
    buildExport: (job) => addJob(jobs, exportQueue, job),
    sendMail,
    log,
  });
  const box = createSecretBox(webhookKeys);
  const timeoutMs = config.webhooks.timeoutSeconds * 1_000;
  const { networks } = config.webhooks;
  const outbound = {
    policy: createAddressPolicy(networks),
    ...(networks.length > 0 && { resolve: resolveBySystem }),
  };
  const deliverer = createWebhookDeliverer({
    db: webhookDb,
    box,
    send: createOutboundRequest({
      ...outbound,
      timeoutMs,
      maxBodyBytes: maxResponseBytes,
    }),
    timeoutMs,
    baseUrl: config.baseUrl,
    userAgent: `Qrelay-Webhooks/1 (+${config.baseUrl})`,
    onCall: (outcome) => (metrics.webhookCalls[outcome] += 1),
    tellOwners,
    log,
  });
  addWebhookMetrics(metrics.registry, () => readBacklog(webhookDb));
  const tracing = await openTracing(config.tracing, 'qrelay-worker', log);
  const closing = new AbortController();
  const proofs = proofsWithLogos(givenProofs, createLogos(backgroundDb));
  const { handlers, settled } = createHandlers({
    db,
    backgroundDb,
    proofs,
    lookups: createLookups(places),
    bundles: {
      storeOf: jobs.bundles,
      add: (queue, job) => addJob(jobs, queue, job, { delay: queue.retries.delayMs(1) }),
    },
    sealingKey,
    openingKeys,
    openMail,
    hashEmail,
    signUpToken: secrets.signUpToken,
    unsubscribeToken,
    closing: closing.signal,
    mailer: config.mail && createMailer(config.mail),
    site: config,
    lifetimeDays: config.qrCodeLifetimeDays,
    retentionMonths: config.scanRetentionMonths,
    historyRetentionMonths: config.historyRetentionMonths,
    metrics,
    audit,
    box,
    deliverer,
    tellOwners,
    exportUpkeep,
    sendCheck: createOutboundRequest({ ...outbound, timeoutMs: checkTimeoutMs, maxBodyBytes: 1 }),
    log,
    traces: tracing && createScanTraces(tracing),
  });
  const openWorkers = () =>
    Object.entries<QueueDefinition>(queues).map(([key, queue]) => {
      const handle = (handlers as Record<string, JobHandler<never>>)[key] as JobHandler<unknown>;
      // Periodic jobs are counted and traced by their own names, all others by that of their queue.
      const labels = Object.keys(queue.schedules ?? { [queue.name]: {} });
      const labelOf = (jobName: string) => (labels.includes(jobName) ? jobName : queue.name);
      const counts = new Map(labels.map((label) => [label, metrics.countJobs(label)]));
      const isTracedAsJob = tracing && queue.name !== queues.scans.name;
      return openQueueWorkers(
        place,
        queue,
        isTracedAsJob ? traceJobs(tracing, labelOf, handle) : handle,
        log,
        {
          onOutcome: (outcome, jobName) => counts.get(labelOf(jobName))?.(outcome),
          sharedPool: queue.hasOwnPool ? undefined : sharedPool,
          ...(queue.name === queues.periodic.name && { retired: retiredQueues }),
        },
      );
    });
  // A worker must not take the jobs of another installation, nor leave its schedules there.
  const agreement = await openQueueAgreement({ db: auditDb, place, log });
  let workers: QueueWorker[] = [];
  const opening = agreement.agreed.then(() => {
    if (!closing.signal.aborted) workers = openWorkers();
  });
  if (agreement.isAgreed()) await opening;
  // Partitions must not depend on the schedule alone: a queue may be paused, or have lost it.
  handlers
    .periodic({}, 'partitions', queues.periodic)
    .catch((err: unknown) => log.warn({ err }, 'the partitions of scans were not checked'));
  // What another worker left when it was killed need not wait for the next period.
  void handlers.periodic({}, changesJob, queues.periodic);
  const auditing = setInterval(() => {
    audit.check().catch((err: unknown) => log.warn({ err }, 'the recording audit could not read scans'));
  }, auditMs);
  // On the audit's connections: those that record may all be busy.
  const reports = startReports({
    kind: 'worker',
    db: auditDb,
    count: () => countWorker(metrics),
    state: async () => ({ reads: ['bundles'] }),
    takeLongestLagMs: metrics.recordingLag.takeLongestMs,
    errors,
    log,
    commit: config.commit,
  });
  return {
    async close() {
      closing.abort();
      agreement.close();
      clearInterval(auditing);
      databaseProbe.stop();
      places.close();
      // At the same time: together they must take less than `drainLimitMs`.
      await Promise.all([...workers.map((worker) => worker.close()), deliverer.close(), settled()]);
      await proofs.close();
      await jobs.close();
      await sharedPool?.close();
      await reports.close();
      await auditDb.destroy();
      await webhookDb.destroy();
      await backgroundDb.destroy();
      await db.destroy();
      await tracing?.close();
    },
  };
}
