import type { Database } from '../store/database.ts';
import { type Finding, findingsFor } from './finding.ts';
import { formatDuration, pluralize } from './format.ts';

const { ok, warning } = findingsFor('postgres');

/** Our own connections are ended after 15 seconds. */
const idleToWarnMs = 60_000;

interface IdleSession {
  pid: number;
  name: string;
  idleMs: number;
}

/** Sessions of this database that hold a transaction open and do nothing. Those of other roles are seen by a monitor only. */
export async function checkIdleTransactions(db: Database, minIdleMs = idleToWarnMs): Promise<Finding> {
  const { rows } = (await db.raw(
    `SELECT pid, application_name AS name,
            (extract(epoch FROM clock_timestamp() - state_change) * 1000)::float8 AS "idleMs"
     FROM pg_stat_activity
     WHERE state IN ('idle in transaction', 'idle in transaction (aborted)') AND datname = current_database()
       AND state_change <= clock_timestamp() - make_interval(secs => CAST(:seconds AS float8))
     ORDER BY state_change`,
    { seconds: minIdleMs / 1_000 },
  )) as { rows: IdleSession[] };
  return assessIdleTransactions(rows);
}

function assessIdleTransactions([oldest, ...others]: IdleSession[]): Finding {
  if (!oldest) return ok('No session is idle in a transaction.');
  const more = others.length > 0 ? ` (and ${pluralize(others.length, 'other')})` : '';
  return warning(
    `Session ${oldest.pid}${oldest.name ? ` ("${oldest.name}")` : ''}${more} has been idle in a transaction for ${formatDuration(oldest.idleMs)}: migrations and deletions wait for its locks, and tables grow.`,
    `End it with \`SELECT pg_terminate_backend(${oldest.pid})\`, and set idle_in_transaction_session_timeout for the role of that program.`,
  );
}
