import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { isIP } from 'node:net';
import type { Config } from '../config.ts';
import { clientAddress } from '../http/client-address.ts';
import type { Database } from '../store/database.ts';
import { readProcesses, type ReportedProcess } from '../store/process-reports.ts';
import { assessEncryption, type Encryption, hasTable, readEncryption } from './connection.ts';
import { type Finding, findingsFor, type Found, found } from './finding.ts';
import { pluralize, withoutPeriod } from './format.ts';
import { hostOf, isLoopback, isPrivate } from '../net/address-policy.ts';

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
  return found(
    showExample(hops),
    sample && assessSample(sample, hops),
    hops === 0 &&
      baseUrl.startsWith('https:') &&
      !isLoopback(hostOf(baseUrl)) &&
      warning(
        'BASE_URL is https and TRUST_PROXY_HOPS is 0: if a proxy terminates TLS, every scan seems to come from it, and all clients share one rate limit.',
        'Set TRUST_PROXY_HOPS to the number of your own proxies in front of the service.',
      ),
    hops > 0 &&
      !(host && isLoopback(host)) &&
      warning(
        `The port is open on ${host ?? 'every address'}, and X-Forwarded-For is trusted: anyone who bypasses the proxy can forge their address.`,
        'Allow only the proxy to reach the port (by a firewall or a private network), or set HOST=127.0.0.1 if it runs on this machine.',
      ),
  );
}

/** What the running web processes have seen, whatever the environment of the doctor says. */
export async function checkForwards(db: Database): Promise<Found> {
  return (await hasTable(db, 'processes')) && assessForwards(await readProcesses(db));
}

export function assessForwards(
  processes: Pick<ReportedProcess, 'status' | 'host' | 'state'>[],
): Finding | undefined {
  const ignoring = processes.filter(
    ({ status, state }) => status === 'running' && (state.ignoredForwards ?? 0) >= forwardsToFail,
  );
  if (ignoring.length === 0) return undefined;
  const hosts = [...new Set(ignoring.map(({ host }) => host))];
  return failure(
    `A proxy in your network forwards requests to web processes whose TRUST_PROXY_HOPS is 0 (${ignoring.length} on ${hosts.join(', ')}): every scan gets the place of the proxy, and all clients share one rate limit.`,
    'Set TRUST_PROXY_HOPS to the number of your own proxies in front of the service, and restart the web processes.',
  );
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

function assessSample({ remote, forwardedFor }: SampleRequest, hops: number): Finding {
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

/** For documentation, so that nobody has it. */
const forgedAddress = '192.0.2.66';

interface ProbeOptions {
  /** Where http:// would be answered. */
  httpPort?: number;
  /** The certificate of the only authority to trust. */
  ca?: string;
}

/** Requests BASE_URL as a client does, and checks what the proxies in front change. */
export async function probe(config: Config, { httpPort = 80, ca }: ProbeOptions = {}): Promise<Finding[]> {
  const { baseUrl, metricsToken } = config;
  const url = `${baseUrl}/healthz`;
  // The token is a secret.
  const isSafe = baseUrl.startsWith('https:') || isLoopback(hostOf(baseUrl));
  const headers = {
    'X-Forwarded-For': forgedAddress,
    ...(metricsToken !== undefined && isSafe && { Authorization: `Bearer ${metricsToken}` }),
  };
  let answer: Answer;
  try {
    answer = await get(url, { headers, ca });
  } catch (error) {
    return [explain(url, error as NodeJS.ErrnoException)];
  }
  if (answer.status !== 200 || !answer.body.includes('"alive"')) return [assessOther(url, answer)];
  return found(
    ok(`${url} answers, through every proxy in front.`),
    baseUrl.startsWith('https:') && [
      assessTls(baseUrl, answer),
      assessHsts(answer),
      await checkPlain(baseUrl, httpPort),
    ],
    assessClient(answer, config),
  );
}

function explain(url: string, { code = '', message }: NodeJS.ErrnoException): Finding {
  const isTls = /CERT|SELF_SIGNED|UNABLE_TO|TLS|SSL|EPROTO/.test(code);
  if (isTls)
    return failure(
      `${url} has a certificate that clients reject (${withoutPeriod(message)}).`,
      'Renew it, or install one for this host name, with the certificates of its authority (the full chain), in the proxy.',
    );
  return warning(
    `${url} cannot be reached from here (${code || message}).`,
    'Check DNS, the firewall and the proxy. Some networks cannot reach their own public address: then run this command elsewhere.',
  );
}

function assessOther(url: string, { status, header }: Answer): Finding {
  const [location] = header('location');
  if (location !== undefined)
    return failure(
      `${url} redirects to ${location.slice(0, 200)}: share links take a detour, or do not work.`,
      'Set BASE_URL to the address that answers without a redirect, or correct the proxy.',
    );
  return failure(
    `${url} is answered with status ${status}, and not by Qrelay.`,
    status >= 502 && status <= 504
      ? 'Start a web process, and check the address in the proxy (proxy_pass, reverse_proxy or server).'
      : 'Check that the proxy forwards this host and path to a web process.',
  );
}

function assessTls(baseUrl: string, { encryption }: Answer): Found {
  const remedy = 'Install a certificate for this host name in the proxy.';
  return assessEncryption('proxy', baseUrl, encryption, { encrypt: remedy, verify: remedy }, Date.now());
}

function assessHsts({ header }: Answer): Finding {
  const values = header('strict-transport-security');
  const [value = ''] = values;
  if (values.length === 0)
    return warning(
      'Strict-Transport-Security is missing, although Qrelay sends it: a browser can be led to http://.',
      'Let the proxy pass the header on (in nginx, no proxy_hide_header for it). Web processes send it while BASE_URL is https.',
    );
  if (values.length > 1)
    return warning(
      `Strict-Transport-Security is sent ${values.length} times, and browsers use the first one only (${value.slice(0, 100)}).`,
      "Remove it from the proxy's configuration: Qrelay sends it.",
    );
  const maxAge = Number(/max-age="?(\d{1,12})/i.exec(value.slice(0, 200))?.[1] ?? 0);
  return maxAge > 0
    ? ok(`Strict-Transport-Security arrives once: ${value.slice(0, 100)}.`)
    : warning(
        `Strict-Transport-Security has no effect (${value.slice(0, 100)}).`,
        "Remove it from the proxy's configuration: Qrelay sends it with a year.",
      );
}

/** Only for the usual port: for another one, there is no address with http:// beside it. */
async function checkPlain(baseUrl: string, httpPort: number): Promise<Found> {
  const { hostname, pathname, port } = new URL(baseUrl);
  if (port !== '' && httpPort === 80) return undefined;
  const url = `http://${hostname}${httpPort === 80 ? '' : `:${httpPort}`}${pathname.replace(/\/$/, '')}/healthz`;
  const answer = await get(url).catch(() => undefined);
  if (!answer) return ok(`${url} is not answered: there is only https.`);
  const [location = ''] = answer.header('location');
  if (location.startsWith('https://')) return ok(`${url} redirects to https.`);
  return warning(
    `${url} is answered without TLS (status ${answer.status}): passwords and sessions can be read on the way.`,
    'Let the proxy redirect every http:// address to https://.',
  );
}

/** Web processes tell the holder of METRICS_TOKEN what arrived. */
function assessClient({ body }: Answer, { metricsToken, trustProxyHops: hops }: Config): Finding {
  const client = clientIn(body);
  if (!client && metricsToken === undefined)
    return ok('Set METRICS_TOKEN to have the client address checked that reaches the service.');
  if (!client)
    return warning(
      'The service does not accept METRICS_TOKEN: which client address reaches it is unknown.',
      'Use the METRICS_TOKEN of the web processes here, and let the proxy pass Authorization on.',
    );
  const { address, remote, forwardedFor } = client;
  if (address === forgedAddress)
    return failure(
      `A client can forge its address: X-Forwarded-For with ${forgedAddress} was believed. Places are wrong, and rate limits can be evaded.`,
      `Let the proxy append the address that it sees (in nginx, $proxy_add_x_forwarded_for), or lower TRUST_PROXY_HOPS=${hops} to the number of your own proxies.`,
    );
  // What the proxies have added to it.
  const added = (forwardedFor ?? '').replace(forgedAddress, '').replace(/^, ?/, '') || undefined;
  if (hops > 0 && added === undefined)
    return warning(
      `The proxy adds no address to X-Forwarded-For: every client seems to be ${address}.`,
      'Let it append the address that it sees; in nginx: proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;',
    );
  return assessSample({ remote, forwardedFor: added }, hops);
}

interface Client {
  address: string;
  remote: string;
  forwardedFor: string | undefined;
}

function clientIn(body: string): Client | undefined {
  try {
    return (JSON.parse(body) as { client?: Client }).client;
  } catch {
    return undefined;
  }
}

const timeoutMs = 5_000;
const maxBodyBytes = 64 * 1024;

interface Answer {
  status: number;
  /** Every value of a header, as it was received. */
  header(name: string): string[];
  body: string;
  encryption: Encryption;
}

interface GetOptions {
  headers?: Record<string, string>;
  /** The certificate of the only authority to trust. */
  ca?: string | undefined;
}

/** A GET that follows no redirect and stops reading after some kilobytes. */
function get(url: string, { headers = {}, ca }: GetOptions = {}): Promise<Answer> {
  const request = url.startsWith('https:') ? httpsRequest : httpRequest;
  return new Promise((resolve, reject) => {
    const signal = AbortSignal.timeout(timeoutMs);
    const sent = request(
      url,
      { headers, agent: false, signal, ...(ca !== undefined && { ca }) },
      (response) => {
        const encryption = readEncryption(response.socket);
        let body = '';
        response.setEncoding('utf8').on('data', (text: string) => {
          body += text;
          if (body.length > maxBodyBytes) response.destroy();
        });
        response.on('close', () =>
          resolve({
            status: response.statusCode ?? 0,
            header: (name) => valuesOf(response.rawHeaders, name.toLowerCase()),
            body,
            encryption,
          }),
        );
        response.on('error', () => undefined); // followed by `close`
      },
    );
    sent.on('error', reject);
    sent.end();
  });
}

function valuesOf(rawHeaders: string[], name: string): string[] {
  return rawHeaders.filter((_, index) => index % 2 === 1 && rawHeaders[index - 1]?.toLowerCase() === name);
}
