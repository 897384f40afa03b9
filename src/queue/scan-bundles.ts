import type { PgPool, Queue } from 'bullmq';
import { nanoid } from 'nanoid';
import type { Pool } from 'pg';
import type { Static } from 'typebox';
import { Type } from '../schema.ts';
import type { RedisClient } from './redis-client.ts';
import { countScans, type ScanJob } from './scan-jobs.ts';

/**
 * A bundle is a list of batches of scans in the queue's own storage, and one job that names it. To add a batch to a bundle
 * takes one small command; a job takes several, on both sides. At a few hundred scans a second nearly every batch is a
 * single scan, so bundles cost a fraction.
 *
 *   web:    first batch → new list + job     further batches, for a while → the same list
 *   worker: job → waits for that while → closes the list → records its batches → removes the list
 *
 * A closed list takes no more batches, so none is added that nobody reads.
 */
export const bundleContract = Type.Object({
  bundle: Type.String({ maxLength: 40 }),
  /** When it was opened, by the clock of the web process, in milliseconds. */
  openedAt: Type.Number(),
});
export type BundleJob = Static<typeof bundleContract>;

export function isBundle(job: object): job is BundleJob & ScanJob {
  return 'bundle' in job;
}

/** How long batches are added to a bundle. Their scans are visible that much later. */
export const openMs = 400;
const maxScans = 2_000;
const peekedBatches = 100;
/** A worker of the previous release refuses the job, and another one takes it. */
const attempts = 1_000;

/** Where the lists are. The same on both engines. */
export interface BundleStore {
  /** Creates the list with its first batch. */
  open(id: string, batch: string): Promise<unknown>;
  /** False if the list is closed. */
  append(id: string, batch: string): Promise<boolean>;
  /** Closes the list and returns its batches: the same ones however often it is called. */
  take(id: string): Promise<ScanJob[]>;
  /** The first batches, whether the list is closed or not. Changes nothing. */
  peek(id: string): Promise<ScanJob[]>;
  remove(id: string): Promise<unknown>;
}

interface BundleWriterOptions {
  store: BundleStore;
  addJob(job: BundleJob, options: { attempts: number }): Promise<unknown>;
  now?: () => number;
}

/** Adds batches to bundles. Resolves when the batch is in a list, and the queue has the job of the list. */
export function createBundleWriter({
  store,
  addJob,
  now = Date.now,
}: BundleWriterOptions): (job: ScanJob) => Promise<void> {
  interface Open {
    id: string;
    openedAt: number;
    scans: number;
    isOpen: Promise<unknown>;
    hasJob: Promise<unknown>;
  }
  let current: Open | undefined;

  async function open(batch: string, scans: number): Promise<void> {
    const [id, openedAt] = [nanoid(), now()];
    const isOpen = store.open(id, batch);
    // Not at the same time: another connection may be faster, and a worker that has the job must find the list.
    const hasJob = isOpen.then(() => addJob({ bundle: id, openedAt }, { attempts }));
    const opened = { id, openedAt, scans, isOpen, hasJob };
    current = opened;
    try {
      await hasJob;
    } catch (error) {
      if (current === opened) current = undefined;
      // Without a job nobody would read it. Its batches go elsewhere.
      store.remove(id).catch(() => undefined);
      throw error;
    }
  }

  return async (job) => {
    const [batch, scans] = [JSON.stringify(job), countScans(job)];
    const bundle = current;
    if (bundle && bundle.scans < maxScans && now() - bundle.openedAt < openMs) {
      bundle.scans += scans;
      const appended = bundle.isOpen.then(() => store.append(bundle.id, batch));
      const [isAdded] = await Promise.all([appended, bundle.hasJob]);
      if (isAdded) return;
      if (current === bundle) current = undefined;
    }
    await open(batch, scans);
  };
}

const parse = (batch: string) => JSON.parse(batch) as ScanJob;

/** Lists among the queue's own keys: in a cluster they are in its slot. */
export function bundlesOnRedis(redis: RedisClient, queue: Pick<Queue, 'toKey'>): BundleStore {
  const openKey = (id: string) => queue.toKey(`bundle:${id}`);
  const closedKey = (id: string) => queue.toKey(`closed-bundle:${id}`);
  return {
    open: (id, batch) => redis.rpush(openKey(id), batch),
    append: async (id, batch) => (await redis.rpushx(openKey(id), batch)) > 0,
    async take(id) {
      const isClosed = await redis.renamenx(openKey(id), closedKey(id)).catch((error: Error) => {
        // It was closed before, by a worker that was killed.
        if (!/no such key/.test(error.message)) throw error;
        return 1;
      });
      const batches = await redis.lrange(closedKey(id), 0, -1);
      // A first batch that was sent again after a lost connection has opened it again: neither list may replace the other.
      if (!isClosed) batches.push(...(await redis.lrange(openKey(id), 0, -1)));
      return batches.map(parse);
    },
    async peek(id) {
      const batches = [
        ...(await redis.lrange(openKey(id), 0, peekedBatches - 1)),
        ...(await redis.lrange(closedKey(id), 0, peekedBatches - 1)),
      ];
      return batches.map(parse);
    },
    remove: (id) => redis.del(openKey(id), closedKey(id)),
  };
}

/** In the schema of the queue: its statements name none. The lock is for two processes that create them at once. */
export const bundleTables = `
  SELECT pg_advisory_xact_lock(hashtext('qrelay bundles'));
  CREATE TABLE IF NOT EXISTS scan_bundles (id text PRIMARY KEY);
  CREATE TABLE IF NOT EXISTS bundled_scans (
    number bigint GENERATED ALWAYS AS IDENTITY,
    bundle text NOT NULL,
    batch text NOT NULL
  );
  CREATE INDEX IF NOT EXISTS bundled_scans_bundle ON bundled_scans (bundle, number);
`;

/**
 * An open bundle has a row, which those who add batches lock for a moment: it cannot be closed in between. Prepared by name, so
 * that each connection parses and plans a statement once; the queue's `LISTEN` rules out a pooler by transactions anyway.
 */
export function bundlesOnPostgres(pool: PgPool): BundleStore {
  const query = async (name: keyof typeof statements, values: unknown[]) =>
    (await (pool as unknown as Pick<Pool, 'query'>).query({
      name: `bundles: ${name}`,
      text: statements[name],
      values,
    })) as { rows: { batch: string }[]; rowCount: number };
  return {
    open: (id, batch) => query('open', [id, batch]),
    append: async (id, batch) => (await query('append', [id, batch])).rowCount > 0,
    async take(id) {
      await query('close', [id]);
      const { rows } = await query('read', [id]);
      return rows.map(({ batch }) => parse(batch));
    },
    async peek(id) {
      const { rows } = await query('peek', [id]);
      return rows.map(({ batch }) => parse(batch));
    },
    async remove(id) {
      await query('close', [id]);
      await query('remove', [id]);
    },
  };
}

const statements = {
  open: `WITH opened AS (INSERT INTO scan_bundles (id) VALUES ($1))
    INSERT INTO bundled_scans (bundle, batch) VALUES ($1, $2)`,
  append: `INSERT INTO bundled_scans (bundle, batch)
    SELECT id, $2 FROM scan_bundles WHERE id = $1 FOR KEY SHARE`,
  close: 'DELETE FROM scan_bundles WHERE id = $1',
  read: 'SELECT batch FROM bundled_scans WHERE bundle = $1 ORDER BY number',
  peek: `SELECT batch FROM bundled_scans WHERE bundle = $1 ORDER BY number LIMIT ${peekedBatches}`,
  remove: 'DELETE FROM bundled_scans WHERE bundle = $1',
};
