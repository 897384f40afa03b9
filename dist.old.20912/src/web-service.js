import { join } from 'node:path';
import { basePathOf, mountAt } from './http/base-path.js';
import { abuseHref } from './codes/abuse-contact.js';
import { createPasswordHasher } from './accounts/password-hasher.js';
import { loadSecrets } from './accounts/secrets.js';
import { createQueueBoard } from './admin/queue-board.js';
import { clientAddress } from './http/client-address.js';
import { openImages } from './codes/image/image-thread.js';
import { createRecentChanges } from './codes/recent-changes.js';
import { shareUrl } from './codes/share-token.js';
import { openHttpServer } from './http/http-server.js';
import { sendInternalError } from './http/malformed-request.js';
import { logConnectionCounts } from './queue/connection-counts.js';
import { createProducer } from './queue/producer.js';
import { queuePlace } from './queue/queue-place.js';
import { openQueueThread } from './queue/queue-thread.js';
import { openSpool } from './queue/spool.js';
import { createScanPolicy } from './redirect/scan-policy.js';
import { createLane } from './redirect/handler.js';
import { createImageSender } from './redirect/images.js';
import { createTargets } from './redirect/targets.js';
import { bytesPerMb } from './runtime/units.js';
import { requireWritable } from './store/data-dir.js';
import { openDatabase } from './store/database.js';
import { createReads, readPrimary } from './store/reads.js';
import { monitorReplicas } from './store/replica-monitor.js';
import { scheduleFairly } from './http/fair-scheduler.js';
import { throttle } from './telemetry/throttle.js';
import { addPoolMetrics } from './telemetry/process-metrics.js';
import { addReplicaMetrics } from './telemetry/replica-metrics.js';
import { addQueueMetrics } from './telemetry/queue-metrics.js';
import { addSpoolMetrics, createWebMetrics } from './telemetry/web-metrics.js';
import { createApp } from './web/app.js';
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
  openQueue = openQueueThread,
  readMetrics = () => metrics.registry.metrics(),
}) {
  const spoolMaxBytes = config.spoolMaxMb * bytesPerMb;
  const spool = await openSpool({
    folder: join(config.dataDir, 'spool'),
    maxBytes: spoolMaxBytes,
    onTornLine: () => metrics.spoolTornLines.inc(),
  });
  await requireWritable(config.dataDir, spool.checkWritable, (err) =>
    log.error({ err }, 'the disk of DATA_DIR is full; scans are lost if the queue goes down'),
  );
  const db = openDatabase(databaseUrl, { poolMax: config.webPoolSize, applicationName: 'qrelay web' });
  const secrets = await loadSecrets(db);
  await logConnectionCounts('web', config, db, log);
  const { reads, replicas } = openReads({ config, databaseUrl, db, metrics, log });
  const place = queuePlace(config, databaseUrl);
  const queue = await openQueue(place, secrets.sealingKey, log);
  const producer = createProducer({
    queue,
    spool,
    sealingKey: secrets.sealingKey,
    metrics,
    log,
    deadlineMs: queueDeadlineMs,
  });
  addPoolMetrics(metrics.registry, db);
  addQueueMetrics(metrics.registry, queue);
  addSpoolMetrics(metrics.registry, spool, spoolMaxBytes);
  const targets = createTargets(db, config.baseUrl, elapsedMs);
  const images = givenImages ?? (await openImages(log));
  const queueBoard = createQueueBoard({ place, baseUrl: config.baseUrl, log });
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
    health: { db, queue, spool, isDraining: () => isDraining() },
    metrics,
    readMetrics,
    codeChanged: targets.forget,
    images,
    queueBoard: queueBoard.middleware,
    closing: closing.signal,
  });
  const handleRest = app.callback();
  const basePath = basePathOf(config.baseUrl);
  const logFailed = throttle((err, times) => log.error({ err, times }, 'a request failed unexpectedly'));
  const onFailure = (err) => {
    metrics.uncaughtErrors.inc();
    logFailed(err);
  };
  const clientOf = ({ socket, headers }) => {
    const forwarded = headers['x-forwarded-for'];
    return secrets.hashAddress(clientAddress(socket.remoteAddress, forwarded, config.trustProxyHops));
  };
  const lane = createLane(
    {
      basePath,
      targets,
      producer,
      scanPolicy: createScanPolicy(),
      sendImage: createImageSender({ images, baseUrl: config.baseUrl, log }),
      reportHref: (token) => abuseHref(config.abuseContact, shareUrl(config.baseUrl, token)),
      trustProxyHops: config.trustProxyHops,
      nowMs,
      metrics,
      log,
    },
    scheduleFairly((req, res) => {
      handleRest(req, res).catch((err) => {
        onFailure(err);
        sendInternalError(res);
      });
    }, clientOf),
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
  return {
    port: server.port,
    async close() {
      // Event streams never finish by themselves, so the drain would wait for them.
      closing.abort();
      await server.drain();
      await producer.close();
      await queue.close();
      await queueBoard.close();
      await images.close();
      await passwords.close();
      await replicas?.close();
      await db.destroy();
    },
  };
}
function openReads({ config, databaseUrl, db, metrics, log }) {
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
//# sourceMappingURL=web-service.js.map
