import type { IncomingMessage } from 'node:http';
import { LRUCache } from 'lru-cache';
import { createTokenBuckets } from '../runtime/token-buckets.ts';
import { TimeoutError, withTimeout } from '../runtime/timeout.ts';
import { hourMs } from '../runtime/units.ts';
import { type Database, isDatabaseUnavailable } from '../store/database.ts';
import type { Replicas } from '../store/replicas.ts';
import type { Log } from '../telemetry/log.ts';
import { throttle } from '../telemetry/throttle.ts';
import type { WebMetrics } from '../telemetry/web-metrics.ts';
import { readTarget, type SavedTargets, type Target } from './target.ts';

export interface Targets {
  /**
   * Synchronous if cached. `null` if there is no such code. Rejects if the lookup fails and nothing is known, and with
   * TooManyLookupsError for a client that asked for too many unknown tokens.
   */
  find(token: string, req?: IncomingMessage): Target | null | Promise<Target | null>;
  /** Drops the cached target, so that the process that changed a code serves the change at once. */
  forget(token: string): void;
  close(): Promise<void>;
}

// An edit must be visible within 10 s, including the time of the query. After `renewAfterMs` a request refreshes the
// entry in the background; after `freshMs` it waits for the refresh, unless the database is down.
const renewAfterMs = 5_000;
const freshMs = 9_000;
const unknownFreshMs = 2_000;
/** A database that has not answered a lookup for this long is down: nobody waits for it who can be served without it. */
const slowAfterMs = 500;
/** How long a request waits that cannot be served without it. */
const lookupDeadlineMs = 800;
/** How often a database that is down is asked whether it is back. */
const probeEveryMs = 500;
const replicaTimeoutMs = 400;

const saveAgainAfterMs = 1_000;

/** Lookups under way. They wait for a few connections, and give up after `lookupDeadlineMs`. */
const maxLookups = 500;
/** Unknown tokens are cached apart from the known ones: somebody who guesses tokens must not evict a real code. */
const cacheSizes = { known: 50_000, unknown: 10_000 };

// Lookups of unknown tokens that a client may cause. A token that exists costs nothing, so any number of people may scan any
// number of codes through one address.
const unknownPerSecond = 10;
const unknownAtOnce = 300;
/** Shared by all clients above that limit: a real code is probably still found if only some of them guess. */
const beyondPerSecond = 50;
const secondsPerHour = hourMs / 1_000;

/** The client asked for too many tokens that do not exist, and now for one that is not cached. */
export class TooManyLookupsError extends Error {
  override name = 'TooManyLookupsError';
  readonly retryAfterSeconds: number;

  constructor(waitMs: number) {
    super('The client asked for too many unknown share links');
    this.retryAfterSeconds = Math.ceil(waitMs / 1_000);
  }
}

interface Entry {
  target: Target;
  foundAt: number;
}

interface TargetsOptions {
  elapsedMs?: () => number;
  /** Read while the database is down. */
  replicas?: Replicas | undefined;
  /** Read while the database is down and no replica answers. */
  saved?: SavedTargets | undefined;
  /** Who shares a limit; without it, nobody has one. */
  clientOf?: (req: IncomingMessage) => string;
  sizes?: typeof cacheSizes;
  /** What answered the lookups. */
  answered?: WebMetrics['targetLookups'];
  log?: Log;
}

const notCounted = { primary: 0, replica: 0, disk: 0, none: 0 };

export function createTargets(
  db: Database,
  baseUrl: string,
  {
    elapsedMs = () => performance.now(),
    replicas,
    saved,
    clientOf,
    sizes = cacheSizes,
    answered = { ...notCounted },
    log,
  }: TargetsOptions = {},
): Targets {
  const known = new LRUCache<string, Entry>({ max: sizes.known });
  const unknown = new LRUCache<string, number>({ max: sizes.unknown });
  const lookups = new Map<string, Promise<Target | null>>();
  const clients = createTokenBuckets(unknownPerSecond * secondsPerHour, elapsedMs, unknownAtOnce);
  const beyond = createTokenBuckets(beyondPerSecond * secondsPerHour, elapsedMs, beyondPerSecond);
  let downSince: number | undefined;
  let probing: NodeJS.Timeout | undefined;
  let isClosed = false;

  const logDown = throttle((err, times) =>
    log?.warn(
      { err, times },
      'the database does not answer; known share links are served as they were last read',
    ),
  );
  const logBack = throttle((_, times) =>
    log?.info({ times }, 'the database answers lookups of share links again'),
  );

  const read = (from: Database, token: string) => readTarget(from, token, baseUrl, known.get(token)?.target);

  function remember(token: string, target: Target | null, foundAt: number): void {
    if (target) {
      known.set(token, { target, foundAt });
      unknown.delete(token);
    } else {
      known.delete(token);
      unknown.set(token, foundAt);
    }
  }

  function goneDown(err: unknown): void {
    if (downSince !== undefined || isClosed) return;
    downSince = elapsedMs();
    logDown(err);
    probing = setTimeout(() => void probe(), probeEveryMs).unref();
  }

  function backUp(): void {
    if (downSince === undefined) return;
    clearTimeout(probing);
    downSince = undefined;
    logBack(undefined);
  }

  /** Without requests, or with only cached ones, nothing else would notice that the database is back. */
  async function probe(): Promise<void> {
    // The statement of a lookup: where only its tables are locked, others succeed.
    const isBack = await withTimeout(lookupDeadlineMs, read(db, '')).then(
      () => true,
      () => false,
    );
    if (downSince === undefined || isClosed) return;
    if (isBack) return backUp();
    probing = setTimeout(() => void probe(), probeEveryMs).unref();
  }

  /** Simultaneous requests for a token share one query. */
  function share(token: string, work: (isCurrent: () => boolean) => Promise<Target | null>) {
    const pending = lookups.get(token);
    if (pending) return pending;
    if (lookups.size >= maxLookups) return Promise.reject(new Error('Too many share links are looked up'));
    const lookup: Promise<Target | null> = work(() => lookups.get(token) === lookup).finally(() => {
      if (lookups.get(token) === lookup) lookups.delete(token);
    });
    lookups.set(token, lookup);
    return lookup;
  }

  async function askPrimary(token: string, isCurrent: () => boolean): Promise<Target | null> {
    const reading = read(db, token);
    const slow = setTimeout(
      () =>
        setImmediate(() => isWaiting && goneDown(new TimeoutError(`No response within ${slowAfterMs} ms`))),
      slowAfterMs,
    );
    let isWaiting = true;
    try {
      const target = await withTimeout(lookupDeadlineMs, reading);
      backUp();
      answered.primary += 1;
      // If `forget` was called meanwhile, the result may be from before the change.
      if (isCurrent()) {
        remember(token, target, elapsedMs());
        saved?.save(token, target);
      }
      return target;
    } catch (error) {
      if (error instanceof TimeoutError || isDatabaseUnavailable(error)) goneDown(error);
      throw error;
    } finally {
      isWaiting = false;
      clearTimeout(slow);
    }
  }

  /** Undefined if neither a replica nor the disk knows anything about the token. */
  async function askOthers(token: string, isCurrent: () => boolean): Promise<Target | null | undefined> {
    for (const replica of replicas?.reachable() ?? []) {
      try {
        const target = await withTimeout(
          replicaTimeoutMs,
          replica.read((from) => read(from, token)),
        );
        answered.replica += 1;
        if (isCurrent()) remember(token, target, elapsedMs());
        return target;
      } catch {
        // The next one, if there is one.
      }
    }
    const target = await saved?.read(token).catch(() => undefined);
    if (!target) return undefined;
    answered.disk += 1;
    // It is served while the database is down, and waits for it when it is not.
    if (isCurrent()) remember(token, target, Number.NEGATIVE_INFINITY);
    return target;
  }

  async function lookUp(token: string, isCurrent: () => boolean): Promise<Target | null> {
    const isUp = downSince === undefined;
    // While it is down, it is asked only for what nobody else knows.
    const primary = isUp ? askPrimary(token, isCurrent) : undefined;
    if (primary) {
      try {
        return await withTimeout(slowAfterMs, primary);
      } catch {
        // `askPrimary` has noted why.
      }
    }
    try {
      const other = await askOthers(token, isCurrent);
      if (other !== undefined) return other;
      return await (primary ?? askPrimary(token, isCurrent));
    } catch (error) {
      answered.none += 1;
      throw error;
    }
  }

  /** Beside the requests: an error leaves the entry as it is. */
  function refresh(token: string): void {
    if (downSince !== undefined || isClosed || lookups.has(token)) return;
    share(token, (isCurrent) => askPrimary(token, isCurrent)).catch(() => undefined);
  }

  async function findUncached(token: string, client: string | undefined): Promise<Target | null> {
    if (client === undefined) return share(token, (isCurrent) => lookUp(token, isCurrent));
    const waitMs = clients.take(client);
    if (waitMs > 0 && beyond.take('') > 0) throw new TooManyLookupsError(waitMs);
    let isUnknown = false;
    try {
      const target = await share(token, (isCurrent) => lookUp(token, isCurrent));
      isUnknown = target === null;
      return target;
    } finally {
      if (!isUnknown && waitMs === 0) clients.giveBack(client);
    }
  }

  // Not cached: nobody may have asked for them in months.
  saved?.checkAll(async (token) => {
    if (downSince === undefined) saved.save(token, await withTimeout(lookupDeadlineMs, read(db, token)));
  });

  return {
    find(token, req) {
      const entry = known.get(token);
      if (entry) {
        const age = elapsedMs() - entry.foundAt;
        if (age < renewAfterMs) return entry.target;
        if (age < freshMs || downSince !== undefined) {
          refresh(token);
          return entry.target;
        }
        const refreshed = share(token, (isCurrent) => askPrimary(token, isCurrent));
        return withTimeout(slowAfterMs, refreshed).catch(() => entry.target);
      }
      const foundAt = unknown.get(token);
      if (foundAt !== undefined && elapsedMs() - foundAt < unknownFreshMs) return null;
      return findUncached(token, req && clientOf?.(req));
    },
    forget(token) {
      known.delete(token);
      unknown.delete(token);
      lookups.delete(token);
      if (!saved) return;
      saved.save(token, null);
      // When the change is surely committed. The code must be known after a restart, even if nobody asks for it before.
      setTimeout(() => refresh(token), saveAgainAfterMs).unref();
    },
    async close() {
      isClosed = true;
      clearTimeout(probing);
      await saved?.close();
    },
  };
}
