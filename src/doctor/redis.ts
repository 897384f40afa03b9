import { Redis } from 'ioredis';
import { type Finding, findingsOn, StoppedBy } from './finding.ts';
import { serverOf, sizeInWords, withoutStop } from './in-words.ts';

const { ok, warning, failure } = findingsOn('redis');

const patienceMs = 3_000;
/** BullMQ refuses to work below the first, and asks for the second. */
const leastVersion = [5, 0];
const wantedVersion = [6, 2];
const usedToWarn = 0.8;
const usedToFail = 0.95;

export async function examineRedis(redisUrl: string): Promise<Finding[]> {
  const server = serverOf(redisUrl);
  const connection = new Redis(redisUrl, {
    lazyConnect: true,
    retryStrategy: null,
    maxRetriesPerRequest: 0,
    connectTimeout: patienceMs,
    commandTimeout: patienceMs,
  });
  // The reason comes as an event; what `connect` rejects with only says that there is no connection.
  let reason: Error | undefined;
  connection.on('error', (error: Error) => {
    reason ??= error;
  });
  try {
    await connection.connect();
    const askedAt = performance.now();
    const info = parseInfo(await connection.info());
    const tookMs = Math.max(1, Math.round(performance.now() - askedAt));
    return [ok(`${server} answers in ${tookMs} ms.`), ...judgeRedis(info)];
  } catch (error) {
    throw new StoppedBy(explain(server, reason ?? (error as Error)));
  } finally {
    connection.disconnect();
  }
}

function explain(server: string, { message }: Error): Finding {
  return /WRONGPASS|NOAUTH|NOPERM|password/.test(message)
    ? failure(
        `${server} refuses us: ${withoutStop(message)}.`,
        'Set REDIS_URL with the right user and password; that user must be allowed every command.',
      )
    : failure(
        `${server} cannot be reached (${message}): scans go to the spool, and none is recorded.`,
        'Start Redis, or set REDIS_URL to one that runs.',
      );
}

/** INFO, because managed servers forbid CONFIG. */
export function parseInfo(text: string): Map<string, string> {
  const pairs = text.split(/\r?\n/).flatMap((line): [string, string][] => {
    const colon = line.indexOf(':');
    return colon > 0 && !line.startsWith('#') ? [[line.slice(0, colon), line.slice(colon + 1)]] : [];
  });
  return new Map(pairs);
}

export function judgeRedis(info: Map<string, string>): Finding[] {
  const findings = [judgeVersion(info), judgePolicy(info), judgeAppendOnly(info), judgeMemory(info)];
  if (info.get('redis_mode') === 'cluster') {
    findings.push(
      failure(
        'The server is part of a Redis Cluster, which refuses jobs (CROSSSLOT): scans stay in the spool.',
        'Set REDIS_URL to a single server, or to a primary with replicas.',
      ),
    );
  }
  if (info.get('rdb_last_bgsave_status') === 'err') {
    findings.push(
      failure(
        'The last snapshot could not be written: Redis refuses jobs (MISCONF) unless stop-writes-on-bgsave-error is off.',
        "Look at Redis's log, and give its folder room.",
      ),
    );
  }
  if (info.get('role') === 'slave') {
    findings.push(failure('The server is a replica, and takes no writes.', 'Set REDIS_URL to its primary.'));
  }
  return findings;
}

function judgeVersion(info: Map<string, string>): Finding {
  const version = info.get('redis_version') ?? 'unknown';
  const remedy = `Upgrade the server to Redis ${wantedVersion.join('.')} or newer, or to Valkey.`;
  if (isOlder(version, leastVersion)) return failure(`Redis ${version} is too old for BullMQ.`, remedy);
  if (isOlder(version, wantedVersion))
    return warning(`Redis ${version} is older than BullMQ recommends.`, remedy);
  const valkey = info.get('valkey_version');
  return ok(valkey ? `Valkey ${valkey}.` : `Redis ${version}.`);
}

function isOlder(version: string, [leastMajor = 0, leastMinor = 0]: number[]): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return major < leastMajor || (major === leastMajor && minor < leastMinor);
}

function judgePolicy(info: Map<string, string>): Finding {
  const policy = info.get('maxmemory_policy') ?? 'unknown';
  if (policy === 'noeviction') return ok('maxmemory-policy is noeviction.');
  return failure(
    `maxmemory-policy is ${policy}: when memory is short, Redis throws away jobs, and scans with them.`,
    'Run `redis-cli CONFIG SET maxmemory-policy noeviction` and put `maxmemory-policy noeviction` into redis.conf, or choose it where the server is managed.',
  );
}

function judgeAppendOnly(info: Map<string, string>): Finding {
  if (info.get('aof_last_write_status') === 'err') {
    return failure(
      'The append-only file could not be written: Redis takes no more jobs, or loses them at its end.',
      "Look at Redis's log, and give its folder room.",
    );
  }
  if (info.get('aof_enabled') === '1') return ok('The append-only file is on: jobs survive a restart.');
  return warning(
    'The append-only file is off: a restart of Redis loses the scans that wait in it.',
    'Run `redis-cli CONFIG SET appendonly yes` and put `appendonly yes` into redis.conf.',
  );
}

function judgeMemory(info: Map<string, string>): Finding {
  const used = Number(info.get('used_memory') ?? 0);
  const most = Number(info.get('maxmemory') ?? 0);
  if (most === 0) return ok(`${sizeInWords(used)} of memory used, with no limit.`);
  const sentence = `${sizeInWords(used)} of ${sizeInWords(most)} of memory used`;
  if (used < usedToWarn * most) return ok(`${sentence}.`);
  const remedy = 'Raise maxmemory, or start more workers so that the queue gets shorter.';
  return used < usedToFail * most
    ? warning(`${sentence}: when it is full, scans go to the spool.`, remedy)
    : failure(`${sentence}: it takes no more jobs, and scans go to the spool.`, remedy);
}
