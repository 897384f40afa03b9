import { randomUUID } from 'node:crypto';
import { SetupError } from '../errors.ts';
import { withTimeout } from '../runtime/timeout.ts';
import { type Database, sqlState } from '../store/database.ts';
import { redisServerName } from '../store/redis-address.ts';
import type { Log } from '../telemetry/log.ts';
import { throttle } from '../telemetry/throttle.ts';
import { isOnRedis, type QueuePlace } from './queue-connection.ts';
import { closeRedis, openRedisOnce, queuePrefix, type RedisPlace } from './redis-client.ts';
import { scanQueue } from './scan-queue.ts';

/** A queue that processes of a database use, as the database knows it. */
interface QueueInUse {
  engine: 'postgres' | 'redis';
  /** For Redis, a random id stored in it, which survives a failover, a restart and a new name of the server. */
  identity: string;
  /** For messages, without user and password. */
  address: string;
}

interface QueuesInUse {
  current?: QueueInUse;
  /** During a move: its jobs are still done, and processes that have not been restarted still use it. */
  previous?: QueueInUse;
}

/** The queue of this process is not the one that the others use. */
export class OtherQueueError extends SetupError {
  override name = 'OtherQueueError';
  readonly difference: string;

  constructor(difference: string) {
    super(`${difference} ${OtherQueueError.remedy}`);
    this.difference = difference;
  }

  static readonly remedy =
    'Set REDIS_URL as for the others. To move the queue, run `qrelay queue use` with the new setting first (docs/deployment/redis.md).';
}

const postgresQueue: QueueInUse = { engine: 'postgres', identity: 'postgres', address: 'PostgreSQL' };
const undefinedTable = '42P01';
const redisTimeoutMs = 2_000;

export async function readQueuesInUse(db: Database): Promise<QueuesInUse> {
  const rows = (await db('queues_in_use').select('role', 'engine', 'identity', 'address')) as (QueueInUse & {
    role: keyof QueuesInUse;
  })[];
  return Object.fromEntries(rows.map(({ role, ...queue }) => [role, queue]));
}

/** Rejects with an OtherQueueError if this process would use another queue. Changes nothing. */
export async function requireQueueInUse(db: Database, place: QueuePlace): Promise<void> {
  const inUse = await readQueuesInUse(db);
  requireEngine(inUse, place);
  if (inUse.current && isOnRedis(place)) requireSame(inUse, await identifyRedis(place), place);
}

/** The same before migrations, when the table may be missing, and without a look at Redis. */
export async function requireEngineInUse(db: Database, place: QueuePlace): Promise<void> {
  const inUse = await readQueuesInUse(db).catch((error: unknown): QueuesInUse => {
    if (sqlState(error) !== undefinedTable) throw error;
    return {};
  });
  requireEngine(inUse, place);
}

/** The same for a process that is about to use the queue: the first one decides, and a Redis that lost its data is named again. */
async function agreeOnQueue(db: Database, place: QueuePlace): Promise<void> {
  const inUse = await readQueuesInUse(db);
  requireEngine(inUse, place);
  const own = await identify(place, inUse);
  if (!inUse.current) {
    // If several processes start at once, one of them decides.
    await db('queues_in_use')
      .insert({ role: 'current', ...own })
      .onConflict('role')
      .ignore();
    requireSame(await readQueuesInUse(db), own, place);
    return;
  }
  const { address } = requireSame(inUse, own, place) ?? own;
  if (address !== own.address)
    await db('queues_in_use').where({ identity: own.identity }).update({ address: own.address });
}

/** The queue that the configuration names. A Redis without an id gets one, unless it should have one: then it is another server. */
async function identify(place: QueuePlace, { current, previous }: QueuesInUse): Promise<QueueInUse> {
  if (!isOnRedis(place)) return postgresQueue;
  const known = [current, previous].find((queue) => queue?.address === redisServerName(place.redisUrl));
  const id = known ? known.identity : current ? undefined : randomUUID();
  return identifyRedis(place, id);
}

/** `newId`: what it is called if it has no id. */
async function identifyRedis(place: RedisPlace, newId?: string): Promise<QueueInUse> {
  const redis = openRedisOnce(place);
  redis.on('error', () => undefined); // the command is rejected as well
  async function readIdentity(): Promise<string> {
    await redis.connect();
    // Among the keys of a queue, because a user may have access to no others.
    const key = `${queuePrefix(place.redisUrl, scanQueue)}:${scanQueue.name}:identity`;
    let identity = await redis.get(key);
    if (identity === null && newId !== undefined) {
      await redis.set(key, newId, 'NX');
      identity = await redis.get(key);
    }
    return identity ?? '';
  }
  try {
    // A process that starts must not wait longer for a server that hangs.
    const identity = await withTimeout(redisTimeoutMs, readIdentity());
    return { engine: 'redis', identity, address: redisServerName(place.redisUrl) };
  } finally {
    closeRedis(redis);
  }
}

function requireEngine({ current, previous }: QueuesInUse, place: QueuePlace): void {
  const engine = isOnRedis(place) ? 'redis' : 'postgres';
  if (current && current.engine !== engine && previous?.engine !== engine)
    throw otherQueue(current, place, '');
}

/** The one of them that it is. */
function requireSame(
  { current, previous }: QueuesInUse,
  own: QueueInUse,
  place: QueuePlace,
): QueueInUse | undefined {
  if (!current) return undefined;
  const isSame = (queue?: QueueInUse) =>
    own.identity === '' ? queue?.address === own.address : queue?.identity === own.identity;
  const same = [current, previous].find(isSame);
  if (same) return same;
  throw otherQueue(
    current,
    place,
    own.identity === '' ? ', which no process has used yet' : ', which is another server',
  );
}

function otherQueue(current: QueueInUse, place: QueuePlace, detail: string): OtherQueueError {
  const own = isOnRedis(place)
    ? `Redis at ${redisServerName(place.redisUrl)}${detail}`
    : 'PostgreSQL, because REDIS_URL is not set';
  return new OtherQueueError(
    `The processes of this database have their queue on ${nameOf(current)}, and this one would use ${own}: no worker would find its jobs.`,
  );
}

export const nameOf = ({ engine, address }: QueueInUse) =>
  engine === 'redis' ? `Redis at ${address}` : address;

type Change = (queue: QueueInUse, change: (transaction: Database) => Promise<void>) => Promise<unknown>;

/** From now on, processes may start with the queue of this configuration. Those that use the other one still may, too. */
export async function startMove(db: Database, place: QueuePlace, change: Change): Promise<QueuesInUse> {
  const inUse = await readQueuesInUse(db);
  const { current, previous } = inUse;
  const own = isOnRedis(place) ? await identifyRedis(place, randomUUID()) : postgresQueue;
  if (own.identity === current?.identity) return inUse;
  if (previous && previous.identity !== own.identity)
    throw new SetupError(
      `The move from ${nameOf(previous)} is not finished. Run \`qrelay queue finish\` first, with the setting for that queue.`,
    );
  await change(own, async (transaction) => {
    await transaction('queues_in_use').delete();
    await transaction('queues_in_use').insert({ role: 'current', ...own });
    if (current) await transaction('queues_in_use').insert({ role: 'previous', ...current });
  });
  return readQueuesInUse(db);
}

/** Undefined if there was none. `from`: the queue that was moved away from, unless it is lost. */
export async function endMove(
  db: Database,
  from: { place: QueuePlace; countJobs(): Promise<number> } | undefined,
  change: Change,
): Promise<QueueInUse | undefined> {
  const { previous } = await readQueuesInUse(db);
  if (!previous) return undefined;
  if (from) {
    const own = isOnRedis(from.place) ? await identifyRedis(from.place) : postgresQueue;
    if (own.identity !== previous.identity)
      throw new SetupError(
        `Run it with the setting for ${nameOf(previous)}, so that its jobs can be counted${previous.engine === 'postgres' ? ': without REDIS_URL' : ''}. If that server does not exist any more, add --lost.`,
      );
    const jobs = await from.countJobs();
    if (jobs > 0)
      throw new SetupError(
        `${nameOf(previous)} still has ${jobs} jobs, failed ones included. Let a worker run with its setting; see \`qrelay queue failed\` with it, too.`,
      );
  }
  await change(previous, async (transaction) => {
    await transaction('queues_in_use').where({ role: 'previous' }).delete();
  });
  return previous;
}

export interface QueueAgreement {
  /** While false, nothing may be added to the queue, and no job taken from it. */
  isAgreed(): boolean;
  /** Why not. */
  reason(): Error;
  /** Resolves when `isAgreed` is true for the first time. */
  agreed: Promise<void>;
  close(): void;
}

interface AgreementOptions {
  db: Database;
  place: QueuePlace;
  log: Log;
  onChange?: () => void;
  retryEveryMs?: number;
  checkEveryMs?: number;
}

/**
 *   unknown ── the database and Redis say that it is the same queue → agreed, and checked again every minute
 *      │  └── another one, at the start → rejects: the process does not start
 *      └── the database or Redis does not respond → the process starts; asked again every second
 *
 * A process that finds out later that the queue is another one keeps running: its scans stay in the spool until it is
 * restarted with the right setting, and nothing is lost.
 */
export async function openQueueAgreement({
  db,
  place,
  log,
  onChange = () => undefined,
  retryEveryMs = 1_000,
  checkEveryMs = 60_000,
}: AgreementOptions): Promise<QueueAgreement> {
  let isAgreed = false;
  let reason = new Error('It is not known yet whether the other processes use the same queue');
  let setAgreed: () => void = () => undefined;
  const agreed = new Promise<void>((resolve) => {
    setAgreed = resolve;
  });
  const logUnknown = throttle((err) =>
    log.warn({ err }, 'it could not be checked yet whether the other processes use the same queue'),
  );
  const logOther = throttle((err) =>
    log.error({ err }, 'this process uses another queue than the others; its scans stay in the spool'),
  );

  async function check(): Promise<void> {
    const before = isAgreed;
    try {
      await agreeOnQueue(db, place);
      isAgreed = true;
      setAgreed();
    } catch (error) {
      if (error instanceof OtherQueueError) {
        isAgreed = false;
        reason = error;
      }
      throw error;
    } finally {
      if (before !== isAgreed) onChange();
    }
  }

  let timer: NodeJS.Timeout | undefined;
  let isClosed = false;
  function schedule(): void {
    if (isClosed) return;
    timer = setTimeout(
      () => {
        check()
          .catch((error: unknown) => (error instanceof OtherQueueError ? logOther : logUnknown)(error))
          .finally(schedule);
      },
      isAgreed ? checkEveryMs : retryEveryMs,
    ).unref();
  }

  await check().catch((error: unknown) => {
    if (error instanceof OtherQueueError || sqlState(error) === undefinedTable) throw error;
    logUnknown(error);
  });
  schedule();
  return {
    isAgreed: () => isAgreed,
    reason: () => reason,
    agreed,
    close() {
      isClosed = true;
      clearTimeout(timer);
    },
  };
}
