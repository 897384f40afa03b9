import { isDatabaseUnavailable, plainMessage, sqlState } from '../store/database.ts';
import { serverNames, splitHosts } from '../store/database-url.ts';
import { readServerPosition, type ServerPosition } from '../store/server-position.ts';
import { type Finding, findingsFor } from './finding.ts';
import { withoutPeriod } from './format.ts';
import { withConnection } from './with-connection.ts';

const { ok, warning, failure } = findingsFor('postgres');

export interface HostState {
  name: string;
  position?: Pick<ServerPosition, 'isStandby' | 'systemId'>;
  error?: Error;
}

/** Whether each of several hosts in DATABASE_URL could take over. Connections use only the one that accepts writes. */
export async function checkHosts(databaseUrl: string): Promise<Finding[]> {
  const urls = splitHosts(databaseUrl);
  if (urls.length === 1) return [];
  return assessHosts(await Promise.all(urls.map(readHost)));
}

async function readHost(url: string): Promise<HostState> {
  const name = serverNames(url);
  try {
    // Without what the URL demands of the server: a standby is one of them.
    return { name, position: await withConnection(withoutAttributes(url), readServerPosition) };
  } catch (error) {
    return { name, error: error as Error };
  }
}

function withoutAttributes(url: string): string {
  const parsed = new URL(url);
  parsed.searchParams.delete('target_session_attrs');
  return parsed.href;
}

export function assessHosts(hosts: HostState[]): Finding[] {
  const primaries = hosts.filter(({ position }) => position?.isStandby === false);
  const systemId = primaries[0]?.position?.systemId;
  const findings = hosts.flatMap((host) => assessHost(host, systemId));
  if (primaries.length > 1)
    findings.push(
      failure(
        `${primaries.map(({ name }) => name).join(' and ')} of DATABASE_URL all accept writes: processes may use different ones, and scans and codes are divided between them.`,
        'Stop all but one, and make the others standbys of it.',
      ),
    );
  return findings.length > 0
    ? findings
    : [ok(`All ${hosts.length} hosts of DATABASE_URL respond, and one of them accepts writes.`)];
}

function assessHost({ name, position, error }: HostState, systemId: string | undefined): Finding[] {
  if (error) return [explain(name, error)];
  if (systemId === undefined || position?.systemId === systemId) return [];
  return [
    failure(
      `${name} of DATABASE_URL has another database (another system identifier): if it is promoted, codes and scans are missing.`,
      'Name only a primary and its standbys in DATABASE_URL.',
    ),
  ];
}

function explain(name: string, error: Error): Finding {
  const code = sqlState(error) ?? '';
  const reason = withoutPeriod(plainMessage(error)) || code;
  return isDatabaseUnavailable(error)
    ? warning(
        `${name} of DATABASE_URL cannot be reached (${code || reason}): it cannot take over if the primary fails.`,
        'Start it, or remove it from DATABASE_URL.',
      )
    : failure(
        `${name} of DATABASE_URL cannot be used: ${reason}. It cannot take over if the primary fails.`,
        'Make it a standby of the primary, with the same users and pg_hba.conf, or remove it from DATABASE_URL.',
      );
}
