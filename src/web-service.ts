import type { IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { basePathOf, mountAt } from './http/base-path.ts';
import { abuseHref } from './codes/abuse-contact.ts';
import { createPasswordHasher, type PasswordHasher } from './accounts/password-hasher.ts';
import { loadSecrets } from './accounts/secrets.ts';
import { createQueueBoard } from './admin/queue-board.ts';
import { clientAddress } from './http/client-address.ts';
import { type Images, openImages } from './codes/image/image-thread.ts';
import { createImageDecoder } from './codes/logo/image-decoder.ts';
import { createLogos } from './codes/logo/stored-logo.ts';
import { imagesWithLogos, printerWithLogos, proofsWithLogos } from './codes/logo/with-logos.ts';
import { createServedFiles } from './codes/files/served-files.ts';
import { openProofs } from './codes/proof/proofs.ts';
import { createRecentChanges } from './codes/recent-changes.ts';
import { shareUrl } from './codes/share-token.ts';
import type { Config } from './config.ts';
import { openHttpServer } from './http/http-server.ts';
import { sendInternalError } from './http/malformed-request.ts';
import { logConnectionCounts } from './queue/connection-counts.ts';
import { exportQueue } from './queue/export-queue.ts';
import type { ScanKey } from './queue/journal-check.ts';
import { mailQueue, packMail } from './queue/mail-queue.ts';
import { createProducer } from './queue/producer.ts';
import { createQueueAccess } from './queue/queue-access.ts';
import { queuePlace } from './queue/queue-place.ts';
import { openSpool } from './queue/spool.ts';
import type { QueueDefinition } from './queue/queue-definition.ts';
import { openWebQueue } from './queue/web-queue.ts';
import { createScanPolicy } from './redirect/scan-policy.ts';
import { createFileLane } from './redirect/files.ts';
import { createLane } from './redirect/handler.ts';
import { traceShareRequests } from './redirect/share-traces.ts';
import { createPrinter } from './codes/print/print-thread.ts';
import { createImageSender } from './redirect/images.ts';
import { createPageLogoSender } from './redirect/page-logo.ts';
import { previewShare } from './redirect/pages/preview-page.ts';
import { createTargets } from './redirect/targets.ts';
import { startProbe } from './runtime/probe.ts';
import { withTimeout } from './runtime/timeout.ts';
import { bytesPerMb } from './runtime/units.ts';
import { applicationName } from './store/application-name.ts';
import { requireWritable } from './store/data-dir.ts';
import { type Database, openDatabase } from './store/database.ts';
import { createReads, readPrimary } from './store/reads.ts';
import { monitorReplicas } from './store/replica-monitor.ts';
import { readGeoSource } from './scans/geo-source.ts';
import { findUnrecordedScans } from './scans/unrecorded-scans.ts';
import { scheduleFairly } from './http/fair-scheduler.ts';
import type { Log } from './telemetry/log.ts';
import { throttle } from './telemetry/throttle.ts';
import type { ReadMetrics } from './telemetry/metrics-server.ts';
import { addJournalMetrics } from './telemetry/journal-metrics.ts';
import { countWeb } from './telemetry/process-counts.ts';
import { addPoolMetrics, probeDatabase } from './telemetry/process-metrics.ts';
import { startReports } from './telemetry/process-reporter.ts';
import type { RecentErrors } from './telemetry/recent-errors.ts';
import { addReplicaMetrics } from './telemetry/replica-metrics.ts';
import { addQueueMetrics } from './telemetry/queue-metrics.ts';
import { openTracing } from './telemetry/tracing.ts';
import { addSpoolMetrics, createWebMetrics, type WebMetrics } from './telemetry/web-metrics.ts';
import { createApp } from './web/app.ts';
import { webState } from './web-state.ts';

/** How long a page waits for the queue to take a mail or an export. */
const addTimeoutMs = 5_000;

export interface WebService {
  port: number;
  /** Accepts no more connections, finishes open requests, flushes the scans and closes every resource. */
  close(): Promise<void>;
}

interface WebServiceParts {
  config: Config;
  databaseUrl: string;
  log: Log;
  nowMs: () => number;
  /** What the age of remembered share links is measured with. */
  elapsedMs?: () => number;
  drainGraceMs?: number;
  /** How long a redirect waits for the queue before its scan goes to the spool. */
  queueDeadlineMs?: number;
  metrics?: WebMetrics;
  passwords?: PasswordHasher;
  images?: Images;
  openQueue?: typeof openWebQueue;
  /** In a cluster: reads the metrics of all web processes. */
  readMetrics?: ReadMetrics;
  /** Shown on the operator pages. */
  errors?: RecentErrors;
}

/** Everything behind the port: resources → scan lane in front of the app → HTTP server. */
export async function openWebService({
  config,
  databaseUrl,
  log,
  nowMs,
  elapsedMs = () => performance.now(),
  drainGraceMs = 1_000,
  queueDeadlineMs = 50,
  metrics = createWebMetrics(),
  passwords = createPasswordHasher({ log }),
  images: givenImages,
  openQueue = openWebQueue,
  readMetrics = () => metrics.registry.metrics(),
  errors,
}: WebServiceParts): Promise<WebService> {
  const spoolMaxBytes = config.spoolMaxMb * bytesPerMb;
  const spoolFolder = join(config.dataDir, 'spool');
  const spool = await openSpool({
    folder: spoolFolder,
    maxBytes: spoolMaxBytes,
    onTornLine: () => metrics.spoolTornLines.inc(),
  });
  await requireWritable(config.dataDir, spool.checkWritable, (err) =>
    log.error({ err }, 'the disk of DATA_DIR is full; scans are lost if the queue goes down'),
  );
  const db = openDatabase(databaseUrl, {
    poolMax: config.webPoolSize,
    applicationName: applicationName('web', { rootSecrets: config.rootSecrets }),
  });
  const secrets = await loadSecrets(db, config.rootSecrets);
  await logConnectionCounts('web', config, db, log);
  const { reads, replicas } = openReads({ config, databaseUrl, db, metrics, log });
  const place = queuePlace(config, databaseUrl);
  const journal =
    config.scanJournal === 'off'
      ? undefined
      : {
          folder: spoolFolder,
          maxBytes: spoolMaxBytes,
          sync: config.scanJournal === 'fsync',
          findUnrecorded: (scans: ScanKey[]) => findUnrecordedScans(db, scans),
        };
  const { sealingKey } = secrets;
  const queue = await openQueue({ place, sealingKey, log, onRoundTrip: metrics.queueRoundTrip, journal });
  const producer = createProducer({
    queue,
    spool,
    sealingKey,
    metrics,
    log,
    deadlineMs: queueDeadlineMs,
  });
  const tracing = await openTracing(config.tracing, 'qrelay-web', log);
  addPoolMetrics(metrics.registry, db);
  const probes = { database: probeDatabase(metrics.registry, db), queue: startProbe(queue.checkWrites) };
  addQueueMetrics(metrics.registry, queue, probes.queue);
  addSpoolMetrics(metrics.registry, spool, spoolMaxBytes);
  addJournalMetrics(metrics.registry, queue.journalState);
  const targets = createTargets(db, config.baseUrl, elapsedMs);
  const logos = createLogos(db);
  const images = imagesWithLogos(givenImages ?? (await openImages(log)), logos);
  const printer = printerWithLogos(createPrinter(log), logos);
  const proofs = proofsWithLogos(openProofs(log), logos);
  const imageDecoder = createImageDecoder(log);
  const queueAccess = createQueueAccess({ place, log });
  const geoSource = await readGeoSource(config.geoDatabase).catch((err: unknown) => {
    log.warn({ err }, 'GEO_DATABASE cannot be read here; pages do not name the source of places');
    return undefined;
  });
  const addJob = async <Data>(definition: QueueDefinition<Data>, data: Data): Promise<void> =>
    void (await withTimeout(addTimeoutMs, queue.add(definition, data)));
  let isDraining = () => false;
  const closing = new AbortController();
  const app = createApp({
    config,
    db,
    reads,
    secrets,
    passwords,
    log,
    now: () => new Date(nowMs()),
    health: { ...probes, spool, isDraining: () => isDraining() },
    metrics,
    readMetrics,
    codeChanged: targets.forget,
    images,
    printer,
    previewShare,
    proofs,
    imageDecoder,
    logos,
    geoSource,
    tracing,
    queueBoard: createQueueBoard({
      queues: queueAccess,
      db,
      baseUrl: config.baseUrl,
      now: () => new Date(nowMs()),
    }),
    queues: { depths: queue.depths, access: queueAccess },
    sendMail: config.mail && ((request) => addJob(mailQueue, packMail(request, secrets.sealMail))),
    buildExport: (job) => addJob(exportQueue, job),
    closing: closing.signal,
  });
  const handleRest = app.callback();
  const basePath = basePathOf(config.baseUrl);
  const logFailed = throttle((err, times) => log.error({ err, times }, 'a request failed unexpectedly'));
  const onFailure = (err: unknown) => {
    metrics.uncaughtErrors.inc();
    logFailed(err);
  };
  const clientOf = ({ socket, headers }: IncomingMessage) => {
    const forwarded = headers['x-forwarded-for'] as string | undefined;
    return secrets.hashAddress(clientAddress(socket.remoteAddress, forwarded, config.trustProxyHops));
  };
  const files = createServedFiles(db);
  const reportHref = (token: string) => abuseHref(config.abuseContact, shareUrl(config.baseUrl, token));
  const lane = createLane(
    {
      basePath,
      targets,
      producer,
      scanPolicy: createScanPolicy(),
      sendImage: createImageSender({ images, baseUrl: config.baseUrl, log }),
      readPhoto: files.photo,
      sendPageLogo: createPageLogoSender(logos),
      reportHref,
      trustProxyHops: config.trustProxyHops,
      nowMs,
      metrics,
      log,
      trace: tracing && traceShareRequests(tracing, { basePath, trustProxyHops: config.trustProxyHops }),
    },
    createFileLane(
      { targets, files, clientOf, reportHref, nowMs, metrics, log },
      scheduleFairly((req, res) => {
        handleRest(req, res).catch((err: unknown) => {
          onFailure(err);
          sendInternalError(res);
        });
      }, clientOf),
    ),
  );
  const server = await openHttpServer(mountAt(basePath, lane), {
    port: config.port,
    host: config.host,
    idleGraceMs: drainGraceMs,
    limits: { keepAliveTimeout: config.keepAliveSeconds * 1_000, maxConnections: config.maxConnections },
    hsts: config.baseUrl.startsWith('https:'),
    onCut: (reason) => {
      metrics.connectionsCut[reason] += 1;
    },
    onFailure,
  });
  isDraining = server.isDraining;
  metrics.processesReady.set(1);
  const reports = startReports({
    kind: 'web',
    db,
    count: () => countWeb(metrics),
    state: () => webState(spool, spoolMaxBytes, metrics, replicas?.list ?? []),
    errors,
    log,
  });
  return {
    port: server.port,
    async close() {
      metrics.processesReady.set(0);
      // Event streams never finish by themselves, so the drain would wait for them.
      closing.abort();
      await server.drain();
      for (const probe of Object.values(probes)) probe.stop();
      await producer.close();
      await queue.close();
      await queueAccess.close();
      await reports.close();
      await images.close();
      await printer.close();
      await proofs.close();
      await imageDecoder.close();
      await passwords.close();
      await replicas?.close();
      await db.destroy();
      await tracing?.close();
    },
  };
}

type ReadParts = Pick<WebServiceParts, 'config' | 'databaseUrl' | 'log'> & {
  db: Database;
  metrics: WebMetrics;
};

function openReads({ config, databaseUrl, db, metrics, log }: ReadParts) {
  const { databaseReplicaUrl: replicaUrl, replicaPoolSize: poolSize } = config;
  const replicas = replicaUrl ? monitorReplicas({ databaseUrl, replicaUrl, poolSize, log }) : undefined;
  addReplicaMetrics(metrics.registry, replicas?.list ?? []);
  const onError = throttle((err, times) =>
    log.warn({ err, times }, 'a replica failed; its reads were repeated on the primary'),
  );
  const recentChanges = createRecentChanges(db);
  const reads = replicas
    ? createReads({ db, replicas, recentChanges, served: metrics.reads, onError })
    : readPrimary(db);
  return { reads, replicas };
}
