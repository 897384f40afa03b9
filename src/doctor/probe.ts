import type { Config } from '../config.ts';
import { assessEncryption } from './encryption.ts';
import { type Finding, findingsFor } from './finding.ts';
import { withoutPeriod } from './format.ts';
import { hostOf, isLoopback } from './host-range.ts';
import { assessSample } from './proxy.ts';
import { type Answer, get } from './request.ts';

const { ok, warning, failure } = findingsFor('proxy');

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
  return [
    ok(`${url} answers, through every proxy in front.`),
    ...(baseUrl.startsWith('https:')
      ? [...assessTls(baseUrl, answer), assessHsts(answer), ...(await checkPlain(baseUrl, httpPort))]
      : []),
    ...assessClient(answer, config),
  ];
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

function assessTls(baseUrl: string, { encryption }: Answer): Finding[] {
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
async function checkPlain(baseUrl: string, httpPort: number): Promise<Finding[]> {
  const { hostname, pathname, port } = new URL(baseUrl);
  if (port !== '' && httpPort === 80) return [];
  const url = `http://${hostname}${httpPort === 80 ? '' : `:${httpPort}`}${pathname.replace(/\/$/, '')}/healthz`;
  const answer = await get(url).catch(() => undefined);
  if (!answer) return [ok(`${url} is not answered: there is only https.`)];
  const [location = ''] = answer.header('location');
  if (location.startsWith('https://')) return [ok(`${url} redirects to https.`)];
  return [
    warning(
      `${url} is answered without TLS (status ${answer.status}): passwords and sessions can be read on the way.`,
      'Let the proxy redirect every http:// address to https://.',
    ),
  ];
}

/** Web processes tell the holder of METRICS_TOKEN what arrived. */
function assessClient({ body }: Answer, { metricsToken, trustProxyHops: hops }: Config): Finding[] {
  const client = clientIn(body);
  if (!client) {
    return metricsToken === undefined
      ? [ok('Set METRICS_TOKEN to have the client address checked that reaches the service.')]
      : [
          warning(
            'The service does not accept METRICS_TOKEN: which client address reaches it is unknown.',
            'Use the METRICS_TOKEN of the web processes here, and let the proxy pass Authorization on.',
          ),
        ];
  }
  const { address, remote, forwardedFor } = client;
  if (address === forgedAddress)
    return [
      failure(
        `A client can forge its address: X-Forwarded-For with ${forgedAddress} was believed. Places are wrong, and rate limits can be evaded.`,
        `Let the proxy append the address that it sees (in nginx, $proxy_add_x_forwarded_for), or lower TRUST_PROXY_HOPS=${hops} to the number of your own proxies.`,
      ),
    ];
  // What the proxies have added to it.
  const added = (forwardedFor ?? '').replace(forgedAddress, '').replace(/^, ?/, '') || undefined;
  if (hops > 0 && added === undefined)
    return [
      warning(
        `The proxy adds no address to X-Forwarded-For: every client seems to be ${address}.`,
        'Let it append the address that it sees; in nginx: proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;',
      ),
    ];
  return [assessSample({ remote, forwardedFor: added }, hops)];
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
