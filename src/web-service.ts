import type { IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { basePathOf, mountAt } from './http/base-path.ts';
import { abuseHref, shareUrl } from './codes/share-token.ts';
import { type PasswordHasher, createPasswordHasher } from './accounts/password-hasher.ts';
import { createClientAddresses } from './http/client-address.ts';
import { type Images, openImages } from './codes/image/image-thread.ts';
import { createImageDecoder, type ImageDecoder } from './codes/files/image-decoder.ts';
import {
  createLogos,
  imagesWithLogos,
  printerWithLogos,
  proofsWithLogos,
} from './codes/design/stored-logo.ts';
import { createServedFiles } from './codes/files/served-files.ts';
import { openProofs, type Proofs } from './codes/proof/proofs.ts';
import type { Config } from './config.ts';
import { sendInternalError } from './http/malformed-request.ts';
import { logConnectionCounts } from './queue/connection-counts.ts';
import { type DiskAccess, createDiskAccess } from './queue/spool-files.ts';
import { exportQueue } from './queue/queues.ts';
import type { ScanKey } from './queue/scan-journal.ts';
import { mailQueue, packMail } from './queue/mail-queue.ts';
import { createProducer } from './queue/producer.ts';
import { createQueueAccess } from './queue/queue-access.ts';
import { createWakeUps } from './queue/periodic-queue.ts';
import { openQueueAgreement } from './queue/queue-agreement.ts';
import { queuePlace } from './queue/queue-connection.ts';
import { type Spool, openSpool } from './queue/spool.ts';
import { openQueueClient } from './queue/queue-client.ts';
import { openJournal } from './queue/journal.ts';
import { createScanPolicy } from './redirect/scan-policy.ts';
import { createFileLane } from './redirect/files.ts';
import { createLane } from './redirect/handler.ts';
import { traceShareRequests } from './redirect/share-traces.ts';
import { createPrinter } from './codes/print/print-codes.ts';
import { createImageSender, createPageLogoSender } from './redirect/images.ts';
import { createPreviewShare } from './redirect/pages/content-page.ts';
import { openSavedTargets } from './redirect/target.ts';
import { createTargets } from './redirect/targets.ts';
import { startProbe } from './runtime/probe.ts';
import { bytesPerMb } from './runtime/units.ts';
import { requireWritable } from './store/data-dir.ts';
import { readGeoSource } from './scans/geo-source.ts';
import { findUnrecordedScans } from './scans/unrecorded-scans.ts';
import { scheduleRequests } from './http/schedule-requests.ts';
import type { Log, RecentErrors } from './telemetry/log.ts';
import { throttle } from './telemetry/throttle.ts';
import type { ReadMetrics } from './telemetry/metrics-server.ts';
import {
  type WebMetrics,
  addJournalMetrics,
  addQueueMetrics,
  addSpoolMetrics,
  countWeb,
  createWebMetrics,
} from './telemetry/web-metrics.ts';
import { addPoolMetrics, probeDatabase } from './telemetry/process-metrics.ts';
import { startReports } from './store/process-reports.ts';
import { openTracing } from './telemetry/tracing.ts';
import { createApp } from './web/app.ts';
import { type WebBase, type WebService, startWebService } from './web-start.ts';
import { createServices } from './web/services.ts';
import { reserveSlug } from './workspaces/reserved-slugs.ts';

export type { WebService } from './web-start.ts';

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
  proofs?: Proofs;
  imageDecoder?: ImageDecoder;
  openQueue?: typeof openQueueClient;
  /** In a cluster: reads the metrics of all web processes. */
  readMetrics?: ReadMetrics;
  /** Shown on the operator pages. */
  errors?: RecentErrors;
}

/** Everything behind the port: spool → databases → resources → scan lane in front of the app → HTTP server. */
export async function openWebService(given: WebServiceParts): Promise<WebService> {
  const parts = { metrics: createWebMetrics(), drainGraceMs: 1_000, ...given };
  const { config, metrics, log } = parts;
  const disk = createDiskAccess();
  const spool = await openSpool({
    folder: spoolFolderOf(config),
    disk,
    maxBytes: config.spoolMaxMb * bytesPerMb,
    onTornLine: () => metrics.spoolTornLines.inc(),
  });
  await requireWritable(config.dataDir, spool.checkWritable, (err) =>
    log.error({ err }, 'the disk of DATA_DIR is full; scans are lost if the queue goes down'),
  );
  return startWebService(parts, (base) => openOn(base, { spool, disk }, parts));
}

const spoolFolderOf = ({ dataDir }: Config) => join(dataDir, 'spool');

async function openOn(
  { db, lookups, reads, replicas, secrets, hasPrimary, listen, onFailure, close }: WebBase,
  { spool, disk }: { spool: Spool; disk: DiskAccess },
  {
    config,
    databaseUrl,
    log,
    nowMs,
    elapsedMs = () => performance.now(),
    queueDeadlineMs = 50,
    metrics,
    passwords = createPasswordHasher({ log }),
    images: givenImages,
    proofs: givenProofs = openProofs(log),
    imageDecoder = createImageDecoder(log),
    openQueue = openQueueClient,
    readMetrics = () => metrics.registry.metrics(),
    errors,
  }: WebServiceParts & { metrics: WebMetrics },
): Promise<WebService> {
  const spoolMaxBytes = config.spoolMaxMb * bytesPerMb;
  if (hasPrimary) await logConnectionCounts('web', config, db, log);
  const joined = config.openId?.workspace?.slug;
  // Without the primary, nobody can found a workspace either, until another process has started.
  if (hasPrimary && joined !== undefined) await reserveSlug(db, joined);
  const place = queuePlace(config, databaseUrl);
  const journal =
    config.scanJournal === 'off'
      ? undefined
      : {
          files: await openJournal({
            folder: spoolFolderOf(config),
            disk,
            maxBytes: spoolMaxBytes,
            sync: config.scanJournal === 'fsync',
          }),
          findUnrecorded: (scans: ScanKey[]) => findUnrecordedScans(db, scans),
        };
  const agreement = await openQueueAgreement({ db, place, log });
  let workersReadBundles = false;
  const queue = openQueue({
    place,
    agreement,
    log,
    onRoundTrip: metrics.queueRoundTrip,
    journal,
    workersReadBundles: () => workersReadBundles,
  });
  const producer = createProducer({
    queue,
    spool,
    sealingKey: secrets.sealingKey,
    metrics,
    log,
    deadlineMs: queueDeadlineMs,
  });
  const tracing = await openTracing(config.tracing, 'qrelay-web', log);
  addPoolMetrics(metrics.registry, db, lookups);
  const probes = { database: probeDatabase(metrics.registry, db), queue: startProbe(queue.checkWrites) };
  addQueueMetrics(metrics.registry, queue, probes.queue);
  addSpoolMetrics(metrics.registry, spool, spoolMaxBytes);
  addJournalMetrics(metrics.registry, queue.journalState);
  const addresses = createClientAddresses(config.trustProxyHops);
  const clientOf = ({ socket, headers }: IncomingMessage) => {
    const forwarded = headers['x-forwarded-for'] as string | undefined;
    return secrets.hashAddress(addresses.read(socket.remoteAddress, forwarded));
  };
  const saved = openSavedTargets({
    folder: join(config.dataDir, 'known', 'targets'),
    baseUrl: config.baseUrl,
    onError: throttle((err, times) =>
      log.warn({ err, times }, 'known share links cannot be saved in DATA_DIR'),
    ),
  });
  const targets = createTargets(lookups, config.baseUrl, {
    elapsedMs,
    replicas,
    saved,
    clientOf,
    answered: metrics.targetLookups,
    log,
  });
  const logos = createLogos(db);
  const images = imagesWithLogos(givenImages ?? (await openImages(log)), logos);
  const printer = printerWithLogos(createPrinter(log), logos);
  const proofs = proofsWithLogos(givenProofs, logos);
  const queueAccess = createQueueAccess({ place, log });
  const geoSource = await readGeoSource(config.geoDatabase).catch((err: unknown) => {
    log.warn({ err }, 'GEO_DATABASE cannot be read here; pages do not name the source of places');
    return undefined;
  });
  let isDraining = () => false;
  const closing = new AbortController();
  const services = createServices({
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
    previewShare: createPreviewShare(config.brand),
    proofs,
    imageDecoder,
    logos,
    geoSource,
    tracing,
    queues: { depths: queue.depths, access: queueAccess },
    sendMail: config.mail && ((request) => queue.add(mailQueue, packMail(request, secrets.sealMail))),
    buildExport: (job) => queue.add(exportQueue, job),
    wakeWorkers: createWakeUps(queue.add),
    closing: closing.signal,
  });
  const handleRest = createApp(services).callback();
  const basePath = basePathOf(config.baseUrl);
  const site = { basePath, brand: config.brand };
  const files = createServedFiles(db);
  const reportHref = (token: string) => abuseHref(config.abuseContact, shareUrl(config.baseUrl, token));
  const lane = createLane(
    {
      site,
      targets,
      producer,
      scanPolicy: createScanPolicy(),
      sendImage: createImageSender({ images, clientOf, baseUrl: config.baseUrl, log }),
      readPhoto: files.photo,
      sendPageLogo: createPageLogoSender(logos),
      reportHref,
      addresses,
      nowMs,
      metrics,
      log,
      trace: tracing && traceShareRequests(tracing, { basePath, trustProxyHops: config.trustProxyHops }),
    },
    createFileLane(
      { site, targets, files, clientOf, reportHref, nowMs, metrics, log },
      scheduleRequests((req, res) => {
        handleRest(req, res).catch((err: unknown) => {
          onFailure(err);
          sendInternalError(res);
        });
      }, clientOf),
    ),
  );
  const server = await listen(mountAt(basePath, lane));
  isDraining = server.isDraining;
  metrics.processesReady.set(1);
  const reports = startReports({
    kind: 'web',
    db,
    count: () => countWeb(metrics),
    state: async () => ({
      spool: {
        bytes: spool.ownBytes(),
        maxBytes: spoolMaxBytes,
        isWritable: spool.isWritable(),
        scansInMemory: (await metrics.scansInMemory.get()).values[0]?.value ?? 0,
      },
      replicas: (replicas?.list ?? []).map(({ name, state, lagMs }) => ({
        name,
        state: state(),
        lagMs: lagMs(),
      })),
      ignoredForwards: addresses.ignoredForwards(),
    }),
    onReported(areRead) {
      workersReadBundles = areRead;
    },
    errors,
    log,
    commit: config.commit,
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
      agreement.close();
      await queue.close();
      await queueAccess.close();
      await reports.close();
      await images.close();
      await printer.close();
      await proofs.close();
      await imageDecoder.close();
      await passwords.close();
      await targets.close();
      await close();
      await tracing?.close();
    },
  };
}
