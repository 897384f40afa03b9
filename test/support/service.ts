import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createApiKey, type KeyGrant } from '../../src/accounts/api-keys.ts';
import type { PasswordHasher } from '../../src/accounts/password-hasher.ts';
import type { Plan } from '../../src/limits.ts';
import type { ImageDecoder } from '../../src/codes/files/image-decoder.ts';
import type { Proofs } from '../../src/codes/proof/proofs.ts';
import { ownWorkspaceId, setPlan } from '../../src/workspaces/workspace.ts';
import { findOrCreateUser } from '../../src/accounts/users.ts';
import { type Config, loadConfig } from '../../src/config.ts';
import { type Database, openDatabase } from '../../src/store/database.ts';
import type { WebMetrics } from '../../src/telemetry/web-metrics.ts';
import { openWebService } from '../../src/web-service.ts';
import { openWorkerService } from '../../workers/worker-service.ts';
import { openQueueLazily } from './lazy-queue.ts';
import { sharedImages, sharedPasswords, sharedProofs } from './shared-threads.ts';
import { createTestDatabase } from './test-database.ts';
import { testLog } from './test-log.ts';

export interface TestService {
  /** `http://127.0.0.1:<port>` */
  url: string;
  databaseUrl: string;
  db: Database;
  /** Stops the service's clock at a moment, or lets it go on. */
  setNow(now: Date | undefined): void;
  /** Lets that much time pass for the share links that the service remembers. */
  passTime(ms: number): void;
  /** What their age is measured with, for another process that time is to pass for too. */
  elapsedMs(): number;
  /** A key of a user of its own (or of the named one), on the Pro plan and for everything unless told. */
  makeKey(options?: { email?: string; plan?: Plan } & Partial<KeyGrant>): Promise<string>;
  stop(): Promise<void>;
}

interface TestServiceOptions {
  config?: Partial<Config>;
  /** A migrated database of the test's own. */
  databaseUrl?: string;
  redisUrl?: string | undefined;
  /** To be read without HTTP. */
  metrics?: WebMetrics;
  /** With a worker in the same process, which records the scans. */
  worker?: boolean;
  passwords?: PasswordHasher;
  /** `quickImages` has others of both. */
  proofs?: Proofs;
  imageDecoder?: ImageDecoder;
  /** Connects to the queue at once, as in production. It is so where the queue is in Redis. */
  eagerQueue?: boolean;
}

/** The real web service, and a real worker if asked for, on a database of its own and a free port. */
export async function startService({
  config: changes = {},
  databaseUrl,
  redisUrl,
  metrics,
  worker = false,
  passwords,
  proofs = sharedProofs(),
  imageDecoder,
  eagerQueue = redisUrl !== undefined,
}: TestServiceOptions = {}): Promise<TestService> {
  const database = databaseUrl
    ? { url: databaseUrl, drop: async () => undefined }
    : await createTestDatabase();
  const dataDir = await mkdtemp(join(tmpdir(), 'qrelay-service-'));
  const log = testLog();
  const config: Config = {
    ...loadConfig({ BASE_URL: 'https://qr.test', DATA_DIR: dataDir }),
    host: '127.0.0.1',
    port: 0,
    redisUrl,
    ...changes,
  };
  let fixedNow: Date | undefined;
  const now = () => fixedNow ?? new Date();
  const db = openDatabase(database.url, { poolMax: 4, applicationName: 'test' });
  if (!databaseUrl) await refuseUnattributed(db);
  const nowMs = () => now().getTime();
  let passedMs = 0;
  const elapsedMs = () => performance.now() + passedMs;
  const web = await openWebService({
    config,
    databaseUrl: database.url,
    log,
    nowMs,
    elapsedMs,
    drainGraceMs: 0,
    // A machine that is busy with other tests must not look like a queue that is down, nor connecting to the queue.
    queueDeadlineMs: eagerQueue ? 5_000 : 30_000,
    passwords: passwords ?? sharedPasswords(),
    images: sharedImages(),
    proofs,
    ...(imageDecoder && { imageDecoder }),
    ...(metrics && { metrics }),
    ...(!eagerQueue && { openQueue: openQueueLazily }),
  });
  const workerService = worker
    ? await openWorkerService({ databaseUrl: database.url, redisUrl }, log, { config, proofs })
    : undefined;
  let users = 0;
  return {
    url: `http://127.0.0.1:${web.port}`,
    databaseUrl: database.url,
    db,
    setNow(moment) {
      fixedNow = moment;
    },
    passTime(ms) {
      passedMs += ms;
    },
    elapsedMs,
    async makeKey({
      email = `user-${(users += 1)}@example.com`,
      plan = 'pro',
      scopes = null,
      expiresAt = null,
    } = {}) {
      const user = await findOrCreateUser(db, email, now());
      await setPlan(db, ownWorkspaceId(user), plan);
      return createApiKey(db, ownWorkspaceId(user), 'test', now(), { scopes, expiresAt });
    },
    async stop() {
      await web.close();
      await workerService?.close();
      await db.destroy();
      await database.drop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

/**
 * Fails what the service changes without a transaction, which names no actor: the history would attribute it to the previous
 * release. A test may do so on its own connection.
 */
async function refuseUnattributed(db: Database): Promise<void> {
  await db.raw(`
    CREATE FUNCTION refuse_unattributed() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      RAISE EXCEPTION 'A change of a % without a transaction, so without an actor', NEW.kind;
    END $$;
    CREATE TRIGGER refuse_unattributed BEFORE INSERT ON changes FOR EACH ROW
      WHEN (NEW.actor_kind IS NULL AND current_setting('application_name') LIKE 'qrelay%')
      EXECUTE FUNCTION refuse_unattributed();`);
}
