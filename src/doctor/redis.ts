import { type Finding, findingsFor } from './finding.ts';
import { formatBytes } from './format.ts';

const { ok, warning, failure } = findingsFor('redis');

/** BullMQ does not work below the minimum. */
const minimumVersion = [5, 0];
const recommendedVersion = [6, 2];
const usedToWarn = 0.8;
const usedToFail = 0.95;

/** Parses INFO. Managed servers often forbid CONFIG, which would be more direct. */
export function parseInfo(text: string): Map<string, string> {
  const pairs = text.split(/\r?\n/).flatMap((line): [string, string][] => {
    const colon = line.indexOf(':');
    return colon > 0 && !line.startsWith('#') ? [[line.slice(0, colon), line.slice(colon + 1)]] : [];
  });
  return new Map(pairs);
}

/** `isCluster`: whether REDIS_URL is for a Redis Cluster. */
export function assessRedis(info: Map<string, string>, isCluster = false): Finding[] {
  if (info.get('redis_mode') === 'sentinel') return [assessSentinel(info)];
  const findings = [assessVersion(info), assessPolicy(info), assessAppendOnly(info), assessMemory(info)];
  if (info.get('redis_mode') === 'cluster' && !isCluster) {
    findings.push(
      failure(
        'The server is part of a Redis Cluster, which rejects jobs (CROSSSLOT): scans stay in the spool.',
        'Start REDIS_URL with redis+cluster:// instead of redis://.',
      ),
    );
  }
  if (info.get('rdb_last_bgsave_status') === 'err') {
    findings.push(
      failure(
        'The last snapshot failed: Redis rejects jobs (MISCONF) unless stop-writes-on-bgsave-error is off.',
        "Check Redis's log and free disk space.",
      ),
    );
  }
  if (info.get('role') === 'slave') {
    findings.push(failure('The server is a replica and accepts no writes.', 'Set REDIS_URL to its primary.'));
  }
  return findings;
}

/** What a sentinel reports is not about the server that jobs would go to. */
function assessSentinel(info: Map<string, string>): Finding {
  const name = /name=([^,]+)/.exec(info.get('master0') ?? '')?.[1] ?? 'mymaster';
  return failure(
    'REDIS_URL names a sentinel, which accepts no jobs: scans go to the spool and are not recorded.',
    `Name all sentinels and the primary: redis+sentinel://host1:26379,host2:26379/${name}.`,
  );
}

function assessVersion(info: Map<string, string>): Finding {
  const version = info.get('redis_version') ?? 'unknown';
  const remedy = `Upgrade the server to Redis ${recommendedVersion.join('.')} or newer, or to Valkey.`;
  if (isOlder(version, minimumVersion)) return failure(`Redis ${version} is too old for BullMQ.`, remedy);
  if (isOlder(version, recommendedVersion))
    return warning(`Redis ${version} is older than BullMQ recommends.`, remedy);
  const valkey = info.get('valkey_version');
  return ok(valkey ? `Valkey ${valkey}.` : `Redis ${version}.`);
}

function isOlder(version: string, [otherMajor = 0, otherMinor = 0]: number[]): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return major < otherMajor || (major === otherMajor && minor < otherMinor);
}

function assessPolicy(info: Map<string, string>): Finding {
  const policy = info.get('maxmemory_policy') ?? 'unknown';
  if (policy === 'noeviction') return ok('maxmemory-policy is noeviction.');
  return failure(
    `maxmemory-policy is ${policy}: when memory runs out, Redis evicts jobs, and their scans are lost.`,
    'Run `redis-cli CONFIG SET maxmemory-policy noeviction` and add `maxmemory-policy noeviction` to redis.conf, or set it in the console of your provider.',
  );
}

function assessAppendOnly(info: Map<string, string>): Finding {
  if (info.get('aof_last_write_status') === 'err') {
    return failure(
      'The append-only file could not be written: Redis rejects jobs, or loses them when it stops.',
      "Check Redis's log and free disk space.",
    );
  }
  if (info.get('aof_enabled') === '1') return ok('The append-only file is on: jobs survive a restart.');
  return warning(
    'The append-only file is off: a restart of Redis loses the scans in the queue.',
    'Run `redis-cli CONFIG SET appendonly yes` and add `appendonly yes` to redis.conf. With SCAN_JOURNAL=on, lost scans are sent again.',
  );
}

function assessMemory(info: Map<string, string>): Finding {
  const used = Number(info.get('used_memory') ?? 0);
  const limit = Number(info.get('maxmemory') ?? 0);
  if (limit === 0) return ok(`${formatBytes(used)} of memory used, no limit.`);
  const message = `${formatBytes(used)} of ${formatBytes(limit)} of memory used`;
  if (used < usedToWarn * limit) return ok(`${message}.`);
  const remedy = 'Raise maxmemory, or start more workers to shorten the queue.';
  return used < usedToFail * limit
    ? warning(`${message}: when the limit is reached, scans go to the spool.`, remedy)
    : failure(`${message}: Redis is about to reject jobs, and scans go to the spool.`, remedy);
}
