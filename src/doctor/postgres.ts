import type { Config } from '../config.ts';
import { type Database, isDatabaseUnavailable, plainMessage, sqlState } from '../store/database.ts';
import { compareMigrations } from '../store/migration-list.ts';
import { workerPoolSize } from '../queue/queue-definition.ts';
import { allQueues } from '../queue/queues.ts';
import { poolSizes } from '../store/pool-sizes.ts';
import { tlsError } from '../store/tls-errors.ts';
import { type Finding, findingsOn, StoppedBy } from './finding.ts';
import { serverOf, timeInWords, withoutStop } from './in-words.ts';
import { lookInto } from './inspect.ts';
import { findPooler, judgePooler } from './pooler.ts';

const { ok, warning, failure } = findingsOn('postgres');

export const migrateFirst = 'Run `node dist/src/cli.js migrate` (`npm start` does it by itself).';

const leastMajor = 14;
const skewToWarnMs = 2_000;
const skewToFailMs = 60_000;
/** The command line, migrations and a person with psql want a few as well. */
const spareConnections = 5;

/** What the server says of itself, in one answer. */
export interface ServerFacts {
  version: string;
  versionNumber: number;
  encoding: string;
  fsync: string;
  synchronousCommit: string;
  isReadOnly: boolean;
  usableConnections: number;
  usedConnections: number;
  nowMs: number;
}

const factsStatement = `
  SELECT current_setting('server_version') AS version,
         current_setting('server_version_num')::integer AS "versionNumber",
         current_setting('server_encoding') AS encoding,
         current_setting('fsync') AS fsync,
         current_setting('synchronous_commit') AS "synchronousCommit",
         pg_is_in_recovery() OR current_setting('transaction_read_only')::boolean AS "isReadOnly",
         current_setting('max_connections')::integer
           - current_setting('superuser_reserved_connections')::integer AS "usableConnections",
         (SELECT count(*)::integer FROM pg_stat_activity WHERE backend_type = 'client backend') AS "usedConnections",
         (extract(epoch FROM clock_timestamp()) * 1000)::float8 AS "nowMs"`;

export async function examinePostgres(
  databaseUrl: string,
  config: Config,
  nowMs: () => number,
): Promise<Finding[]> {
  const server = serverOf(databaseUrl);
  try {
    const findings = await lookInto(databaseUrl, (db) => askServer(db, server, config, nowMs));
    const { all } = wantedConnections(config);
    return [...findings, ...judgePooler(await findPooler(databaseUrl), all, config.redisUrl !== undefined)];
  } catch (error) {
    throw new StoppedBy(explain(server, error as Error));
  }
}

function explain(server: string, error: Error): Finding {
  const code = sqlState(error) ?? '';
  const reason = withoutStop(plainMessage(error)) || code;
  const tls = tlsError(error);
  if (tls) return failure(`${server} is not trusted: ${tls.reason}.`, tls.remedy);
  if (isDatabaseUnavailable(error)) {
    return failure(
      `${server} cannot be reached (${code || reason}).`,
      'Start it, or set DATABASE_URL to one that runs.',
    );
  }
  // Wrong password or role; no such database.
  if (code.startsWith('28') || code === '3D000') {
    return failure(
      `${server} refuses us: ${reason}.`,
      'Set DATABASE_URL with the right user, password and database.',
    );
  }
  return failure(`${server} cannot be asked: ${reason}.`, "Look at DATABASE_URL and PostgreSQL's log.");
}

async function askServer(
  db: Database,
  server: string,
  config: Config,
  nowMs: () => number,
): Promise<Finding[]> {
  // The first statement also connects: that is no measure of the way, and would look like skew.
  await db.raw('SELECT 1');
  const askedAt = nowMs();
  const { rows } = (await db.raw(factsStatement)) as { rows: [ServerFacts] };
  const answeredAt = nowMs();
  const [facts] = rows;
  return [
    ok(`${server} answers in ${Math.max(1, Math.round(answeredAt - askedAt))} ms.`),
    ...judgeServer(facts, config),
    judgeClock(facts.nowMs - (askedAt + answeredAt) / 2),
    ...judgeMigrations(await compareMigrations(db)),
  ];
}

export function judgeServer(facts: ServerFacts, config: Config): Finding[] {
  const findings = [judgeVersion(facts), judgeConnections(facts, config), judgeDurability(facts)];
  if (facts.encoding !== 'UTF8') {
    findings.push(
      failure(
        `The database's encoding is ${facts.encoding}: names and contents in other scripts are refused.`,
        "Make a database with ENCODING 'UTF8' (CREATE DATABASE … ENCODING 'UTF8' TEMPLATE template0) and move there.",
      ),
    );
  }
  if (facts.isReadOnly) {
    findings.push(
      failure(
        'The server takes no writes: it is a standby, or set to read only.',
        'Set DATABASE_URL to the primary, or set default_transaction_read_only to off.',
      ),
    );
  }
  return findings;
}

function judgeVersion({ version, versionNumber }: ServerFacts): Finding {
  if (versionNumber >= leastMajor * 10_000) return ok(`PostgreSQL ${version}.`);
  return failure(
    `PostgreSQL ${version} is too old.`,
    `Upgrade the server to PostgreSQL ${leastMajor} or newer.`,
  );
}

const workerQueueConnections = allQueues.reduce((sum, queue) => sum + workerPoolSize(queue), 0);

/** The most connections that a web process, a worker, and all web processes here with one worker open. */
function wantedConnections({ webConcurrency, redisUrl }: Config) {
  const queueToo = redisUrl ? 0 : 1;
  const web = poolSizes.web.own + queueToo * (poolSizes.web.queue + poolSizes.web.board);
  const worker = poolSizes.worker.own + poolSizes.worker.audit + queueToo * workerQueueConnections;
  return { web, worker, all: webConcurrency * web + worker };
}

function judgeConnections(
  { usableConnections: usable, usedConnections: used }: ServerFacts,
  config: Config,
): Finding {
  const { webConcurrency } = config;
  const { web, worker, all: wanted } = wantedConnections(config);
  const sentence = `${usable} connections may be open, ${used} are; a web process takes up to ${web}, a worker up to ${worker}`;
  if (usable >= wanted + spareConnections) return ok(`${sentence}.`);
  return warning(
    `${sentence}: too few for WEB_CONCURRENCY=${webConcurrency} and one worker.`,
    `Set max_connections to ${wanted + spareConnections + 10} or more and restart PostgreSQL, or set WEB_CONCURRENCY lower.`,
  );
}

function judgeDurability({ fsync, synchronousCommit }: ServerFacts): Finding {
  const off = [
    ...(fsync === 'off' ? ['fsync'] : []),
    ...(synchronousCommit === 'off' ? ['synchronous_commit'] : []),
  ];
  if (off.length === 0) return ok('What is committed survives a power cut (fsync and synchronous_commit).');
  return warning(
    `${off.join(' and ')} off: a crash of the server may lose scans that were counted.`,
    `${off.map((name) => `ALTER SYSTEM SET ${name} = on;`).join(' ')} SELECT pg_reload_conf();`,
  );
}

/** How far the server's clock is ahead of ours. */
export function judgeClock(aheadMs: number): Finding {
  const skewMs = Math.abs(aheadMs);
  if (skewMs <= skewToWarnMs) return ok(`Its clock and this one differ by ${Math.round(skewMs)} ms.`);
  const sentence = `Its clock is ${timeInWords(skewMs)} ${aheadMs > 0 ? 'ahead of' : 'behind'} this one: scans get the wrong time, rate limits and sessions end at the wrong one.`;
  const remedy = 'Let both machines follow a time server (chrony or systemd-timesyncd).';
  return skewMs > skewToFailMs ? failure(sentence, remedy) : warning(sentence, remedy);
}

function judgeMigrations({ pending, unknown }: { pending: string[]; unknown: string[] }): Finding[] {
  const findings: Finding[] = [];
  if (pending.length > 0) {
    findings.push(failure(`The schema lacks ${pending.join(', ')}.`, migrateFirst));
  }
  if (unknown.length > 0) {
    findings.push(
      warning(
        `The schema has ${unknown.join(', ')}, which this release does not know.`,
        'A newer release has migrated it: run that one here too.',
      ),
    );
  }
  return findings.length > 0 ? findings : [ok('Every migration is applied.')];
}
