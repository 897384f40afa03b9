import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { loadSecrets } from './accounts/secrets.ts';
import type { Config } from './config.ts';
import { SetupError } from './errors.ts';
import { openScanQueue } from './queue/connection.ts';
import { createProducer } from './queue/producer.ts';
import { createScanVerdict } from './redirect/counts.ts';
import { createLane } from './redirect/handler.ts';
import { createTargets } from './redirect/targets.ts';
import { openDatabase } from './store/database.ts';
import type { Log } from './telemetry/log.ts';
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
  now: () => Date;
}

/** All that answers on the port: resources → scan lane in front of the app → http server. */
export async function openWebService({
  config,
  databaseUrl,
  log,
  now,
}: WebServiceParts): Promise<WebService> {
  const db = openDatabase(databaseUrl, { poolMax: 10, applicationName: 'qrelay web' });
  const secrets = await loadSecrets(db);
  const queue = openScanQueue({ redisUrl: config.redisUrl, databaseUrl }, log);
  const producer = createProducer(queue, secrets.sealingKey, log);
  const app = createApp({ config, db, secrets, log, now });
  const handleRest = app.callback();
  const lane = createLane(
    {
      targets: createTargets(db),
      producer,
      verdict: createScanVerdict(),
      trustProxyHops: config.trustProxyHops,
      now,
      log,
    },
    (req, res) => void handleRest(req, res),
  );
  const server = createServer({ headersTimeout: 15_000, requestTimeout: 30_000 }, lane);
  await listen(server, config);
  return {
    port: (server.address() as AddressInfo).port,
    async close() {
      await closeServer(server);
      await producer.close();
      await queue.close();
      await db.destroy();
    },
  };
}

function listen(server: Server, { port, host }: Config): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      const taken = error.code === 'EADDRINUSE';
      reject(taken ? new SetupError(`Port ${port} is taken. Set PORT to a free one.`) : error);
    });
    server.listen({ port, host }, resolve);
  });
}

function closeServer(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeIdleConnections();
  });
}
