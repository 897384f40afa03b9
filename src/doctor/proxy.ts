import { isIP } from 'node:net';
import { clientAddress } from '../http/client-address.ts';
import type { Config } from '../config.ts';
import { type Finding, findingsFor } from './finding.ts';
import { pluralize } from './format.ts';
import { hostOf, isLoopback, isPrivate } from './host-range.ts';
import { readProcesses, type ReportedProcess } from '../store/process-reports.ts';
import { withConnection } from './with-connection.ts';

const { ok, warning, failure } = findingsFor('proxy');

/** A request or two may be an experiment. */
const forwardsToFail = 10;

/** A request as it reaches the web process. The operator copies it from their proxy. */
export interface SampleRequest {
  remote: string;
  forwardedFor: string | undefined;
}

export function checkProxy(config: Config, sample: SampleRequest | undefined): Finding[] {
  const { trustProxyHops: hops, baseUrl, host } = config;
  const findings = [showExample(hops)];
  if (sample) findings.push(assessSample(sample, hops));
  if (hops === 0 && baseUrl.startsWith('https:') && !isLoopback(hostOf(baseUrl))) {
    findings.push(
      warning(
        'BASE_URL is https and TRUST_PROXY_HOPS is 0: if a proxy terminates TLS, every scan seems to come from it, and all clients share one rate limit.',
        'Set TRUST_PROXY_HOPS to the number of your own proxies in front of the service.',
      ),
    );
  }
  if (hops > 0 && !(host && isLoopback(host))) {
    findings.push(
      warning(
        `The port is open on ${host ?? 'every address'}, and X-Forwarded-For is trusted: anyone who bypasses the proxy can forge their address.`,
        'Allow only the proxy to reach the port (by a firewall or a private network), or set HOST=127.0.0.1 if it runs on this machine.',
      ),
    );
  }
  return findings;
}

/** What the running web processes have seen, whatever the environment of the doctor says. */
export async function checkForwards(databaseUrl: string): Promise<Finding[]> {
  const processes = await withConnection(databaseUrl, async (db) => {
    const { rows } = (await db.raw("SELECT to_regclass('processes') IS NULL AS missing")) as {
      rows: [{ missing: boolean }];
    };
    return rows[0].missing ? [] : readProcesses(db);
  });
  return assessForwards(processes);
}

export function assessForwards(processes: Pick<ReportedProcess, 'status' | 'host' | 'state'>[]): Finding[] {
  const ignoring = processes.filter(
    ({ status, state }) => status === 'running' && (state.ignoredForwards ?? 0) >= forwardsToFail,
  );
  if (ignoring.length === 0) return [];
  const hosts = [...new Set(ignoring.map(({ host }) => host))];
  return [
    failure(
      `A proxy in your network forwards requests to web processes whose TRUST_PROXY_HOPS is 0 (${ignoring.length} on ${hosts.join(', ')}): every scan gets the place of the proxy, and all clients share one rate limit.`,
      'Set TRUST_PROXY_HOPS to the number of your own proxies in front of the service, and restart the web processes.',
    ),
  ];
}

/** The header has a forged address on the left, as a client may send it, and one address per proxy. */
function showExample(hops: number): Finding {
  const client = '203.0.113.7';
  const proxies = Array.from({ length: hops }, (_, index) => `10.0.0.${index + 1}`);
  const remote = proxies.at(-1) ?? client;
  const header = ['192.0.2.66', ...(hops > 0 ? [client] : []), ...proxies.slice(0, -1)].join(', ');
  const seen = clientAddress(remote, header, hops);
  const rule =
    hops === 0 ? 'X-Forwarded-For is ignored' : `X-Forwarded-For is read through ${pluralize(hops, 'hop')}`;
  return ok(
    `TRUST_PROXY_HOPS=${hops}: ${rule}. A request from ${remote} with "${header}" is attributed to ${seen}.`,
  );
}

export function assessSample({ remote, forwardedFor }: SampleRequest, hops: number): Finding {
  const seen = clientAddress(remote, forwardedFor, hops);
  const message = `The request from ${remote} with ${forwardedFor === undefined ? 'no X-Forwarded-For' : `"${forwardedFor}"`} is attributed to ${seen}`;
  const addresses = forwardedFor?.split(',').map((part) => clientAddress(part.trim(), undefined, 0)) ?? [];
  if (hops > 0 && addresses.length < hops) {
    return warning(
      `${message}, but the header has fewer entries than TRUST_PROXY_HOPS=${hops}: a client could forge its address.`,
      `If this is what your proxy sends, set TRUST_PROXY_HOPS to ${addresses.length}.`,
    );
  }
  const publicIndex = addresses.findLastIndex((address) => isIP(address) !== 0 && !isPrivate(address));
  if (isPrivate(seen) && publicIndex !== -1) {
    return warning(
      `${message}, which looks like one of your own proxies.`,
      `If ${addresses[publicIndex]} is the client, set TRUST_PROXY_HOPS to ${addresses.length - publicIndex}.`,
    );
  }
  return ok(`${message}.`);
}
