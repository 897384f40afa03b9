import { join } from 'node:path';
import { loadSecrets } from './accounts/secrets.ts';
import { openImages } from './codes/image/image-thread.ts';
import type { Config } from './config.ts';
import { openHttpServer } from './http-server.ts';
import { createProducer } from './queue/producer.ts';
import { openQueueThread } from './queue/queue-thread.ts';
import { openSpool } from './queue/spool.ts';
import { createScanVerdict } from './redirect/counts.ts';
import { createLane } from './redirect/handler.ts';
import { createImageAnswer } from './redirect/images.ts';
import { createTargets } from './redirect/targets.ts';
import { openDatabase } from './store/database.ts';
import type { Log } from './telemetry/log.ts';
import { createMetrics } from './telemetry/metrics.ts';
import { createApp } from './web/app.ts';

export interface WebService {
  port: number;
  /** Takes no more connections, answers what is under way, hands over the scans and lets go of everything. */
  close(): Promise<void>;
}

interface WebServiceParts {
  config: Config;
  databaseUrl: string;
  log: Log;
  nowMs: () => number;
  drainGraceMs?: number;
}

/** All that answers on the port: resources → scan lane in front of the app → http server. */
export async function openWebService({
  config,
  databaseUrl,
  log,
  nowMs,
  drainGraceMs = 1_000,
}: WebServiceParts): Promise<WebService> {
  const db = openDatabase(databaseUrl, { poolMax: 10, applicationName: 'qrelay web' });
  const secrets = await loadSecrets(db);
  const queue = await openQueueThread({ redisUrl: config.redisUrl, databaseUrl }, secrets.sealingKey, log);
  const metrics = createMetrics();
  const spool = await openSpool({
    folder: join(config.dataDir, 'spool'),
    maxBytes: config.spoolMaxMb * 1024 * 1024,
    onTornLine: () => metrics.spoolTornLines.inc(),
  });
  const producer = createProducer({ queue, spool, sealingKey: secrets.sealingKey, metrics, log });
  const targets = createTargets(db);
  const images = await openImages(log);
  let isDraining = () => false;
  const closing = new AbortController();
  const app = createApp({
    config,
    db,
    secrets,
    log,
    now: () => new Date(nowMs()),
    health: { db, queue, isDraining: () => isDraining() },
    codeChanged: targets.forget,
    images,
    closing: closing.signal,
  });
  const handleRest = app.callback();
  const lane = createLane(
    {
      targets,
      producer,
      verdict: createScanVerdict(),
      answerImage: createImageAnswer({ images, baseUrl: config.baseUrl, log }),
      trustProxyHops: config.trustProxyHops,
      nowMs,
      metrics,
      log,
    },
    (req, res) => void handleRest(req, res),
  );
  const server = await openHttpServer(lane, {
    port: config.port,
    host: config.host,
    idleGraceMs: drainGraceMs,
  });
  isDraining = server.isDraining;
  return {
    port: server.port,
    async close() {
      // Streams have no end of their own: the drain would wait for them.
      closing.abort();
      await server.drain();
      await producer.close();
      await queue.close();
      await images.close();
      await db.destroy();
    },
  };
}
