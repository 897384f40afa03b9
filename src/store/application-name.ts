import { hostname } from 'node:os';
import { secretLabels } from './root-secrets.ts';

/** Of `application_name` in PostgreSQL, in bytes. */
const maxLength = 63;

interface Identity {
  /** The list of QRELAY_SECRET. Its labels let the doctor compare the secrets of processes: see doctor/secret.ts. */
  rootSecrets?: readonly string[];
  host?: string;
  pid?: number;
}

/**
 * As PostgreSQL shows a process of ours in `pg_stat_activity`: its role, which one it is, and the labels of its root secrets.
 * Of a long host name the end is shown, which differs between containers.
 */
export function applicationName(
  role: 'web' | 'worker',
  { rootSecrets = [], host = hostname(), pid = process.pid }: Identity = {},
): string {
  const start = `qrelay ${role} `;
  const end = `:${pid}${rootSecrets.length > 0 ? ` secrets:${secretLabels(rootSecrets).join(',')}` : ''}`;
  return start + host.replace(/[^\w.-]/g, '_').slice(start.length + end.length - maxLength) + end;
}
