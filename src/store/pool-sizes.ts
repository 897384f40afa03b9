import { hostname } from 'node:os';
import { secretLabels } from './root-secrets.ts';

/**
 * How many connections to Postgres the pools of a process may hold that are not set by the environment. A worker's
 * connections for the queues depend on how many there are: see `workerPoolSizes`.
 */
export const poolSizes = {
  /** Without Redis: the queue and the board, whose connections are opened when an operator visits it. */
  web: { queue: 2, board: 2 },
  /** The audit's connection is opened once a minute. Webhooks, and exports, notices and styles, have their own, so that they cannot delay recording. */
  worker: { audit: 1, webhooks: 2, background: 2 },
  /** Where there are replicas: measures their lag, on the primary and on each replica. */
  monitor: 1,
} as const;

/** The pools whose size the environment sets: the default, and the bounds. */
export const poolBounds = {
  web: { size: 10, least: 2, most: 500 },
  replica: { size: 10, least: 2, most: 500 },
  worker: { size: 6, least: 2, most: 500 },
} as const;

/**
 * How a web process divides WEB_POOL_SIZE. Share links are looked up on connections of their own, so that slow pages cannot
 * delay them. The others are at least two: a request may need a second one while it holds a transaction open.
 */
export function webPoolSizes(size: number): { lookups: number; others: number } {
  const lookups = Math.max(1, Math.floor(size * 0.4));
  return { lookups, others: Math.max(2, size - lookups) };
}

/** Bytes that PostgreSQL keeps of `application_name`. */
const maxLength = 63;

interface Identity {
  /** The list of QRELAY_SECRET. Its labels let the doctor compare the secrets of processes: see doctor/secret.ts. */
  rootSecrets?: readonly string[];
  host?: string;
  pid?: number;
}

/**
 * How `pg_stat_activity` shows a process: its role, host and PID, and the labels of its root secrets. A long host name is cut
 * at the start: its end differs between containers.
 */
export function applicationName(
  role: 'web' | 'worker',
  { rootSecrets = [], host = hostname(), pid = process.pid }: Identity = {},
): string {
  const start = `qrelay ${role} `;
  const end = `:${pid}${rootSecrets.length > 0 ? ` secrets:${secretLabels(rootSecrets).join(',')}` : ''}`;
  return start + host.replace(/[^\w.-]/g, '_').slice(start.length + end.length - maxLength) + end;
}
