import { hostname } from 'node:os';

const maxHostLength = 30;

/** As PostgreSQL shows a process of ours in `pg_stat_activity`: its role, and which one it is. At most 63 bytes. */
export function applicationName(role: 'web' | 'worker', host = hostname(), pid = process.pid): string {
  return `qrelay ${role} ${host.replace(/[^\w.-]/g, '_').slice(0, maxHostLength)}:${pid}`;
}
