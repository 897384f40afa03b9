import { isIP } from 'node:net';
import { clientAddress } from '../http/client-address.ts';
import type { Config } from '../config.ts';
import { type Finding, findingsOn } from './finding.ts';
import { count } from './in-words.ts';
import { hostOf, isLoopback, isPrivate } from './networks.ts';

const { ok, warning } = findingsOn('proxy');

/** A request as it reaches the web process: what the operator pastes from the own proxy. */
export interface SampleRequest {
  remote: string;
  forwardedFor: string | undefined;
}

export function examineProxy(config: Config, sample: SampleRequest | undefined): Finding[] {
  const { trustProxyHops: hops, baseUrl, host } = config;
  const findings = [showExample(hops)];
  if (sample) findings.push(judgeSample(sample, hops));
  if (hops === 0 && baseUrl.startsWith('https:') && !isLoopback(hostOf(baseUrl))) {
    findings.push(
      warning(
        'BASE_URL is https and TRUST_PROXY_HOPS is 0: if a proxy ends TLS, every scan seems to come from it, and all share one rate limit.',
        'Set TRUST_PROXY_HOPS to the number of proxies of your own in front.',
      ),
    );
  }
  if (hops > 0 && !(host && isLoopback(host))) {
    findings.push(
      warning(
        `The port is open on ${host ?? 'every address'}, and X-Forwarded-For is believed: whoever gets past the proxy can make up an address.`,
        'Let only the proxy reach the port (a firewall or a private network does), or set HOST=127.0.0.1 where it is on this machine.',
      ),
    );
  }
  return findings;
}

/** With a made-up address on the left, as a client may send it, and one address for each proxy. */
function showExample(hops: number): Finding {
  const client = '203.0.113.7';
  const proxies = Array.from({ length: hops }, (_, index) => `10.0.0.${index + 1}`);
  const remote = proxies.at(-1) ?? client;
  const header = ['192.0.2.66', ...(hops > 0 ? [client] : []), ...proxies.slice(0, -1)].join(', ');
  const seen = clientAddress(remote, header, hops);
  const rule =
    hops === 0 ? 'X-Forwarded-For is not read' : `X-Forwarded-For is read through ${count(hops, 'hop')}`;
  return ok(
    `TRUST_PROXY_HOPS=${hops}: ${rule}. A request from ${remote} with "${header}" is one of ${seen}.`,
  );
}

function judgeSample({ remote, forwardedFor }: SampleRequest, hops: number): Finding {
  const seen = clientAddress(remote, forwardedFor, hops);
  const sentence = `The request from ${remote} with ${forwardedFor === undefined ? 'no X-Forwarded-For' : `"${forwardedFor}"`} is one of ${seen}`;
  const addresses = forwardedFor?.split(',').map((part) => clientAddress(part.trim(), undefined, 0)) ?? [];
  if (hops > 0 && addresses.length < hops) {
    return warning(
      `${sentence}, but fewer proxies than TRUST_PROXY_HOPS=${hops} have written there: a client could make up what is read.`,
      `Set TRUST_PROXY_HOPS to ${addresses.length}, if this is what your proxy sends.`,
    );
  }
  const outside = addresses.findLastIndex((address) => isIP(address) !== 0 && !isPrivate(address));
  if (isPrivate(seen) && outside !== -1) {
    return warning(
      `${sentence}, which looks like a proxy of your own.`,
      `Set TRUST_PROXY_HOPS to ${addresses.length - outside}, if ${addresses[outside]} is the client.`,
    );
  }
  return ok(`${sentence}.`);
}
