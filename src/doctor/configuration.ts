import type { Config } from '../config.ts';
import { hostOf, isLoopback, isPrivate } from './networks.ts';
import { type Finding, findingsOn } from './finding.ts';

const { ok, warning, failure } = findingsOn('configuration');

export function examineConfiguration(config: Config, errors: string[]): Finding[] {
  const wrong = errors.map((error) =>
    failure(`${error}.`, 'Set it right, or unset it; web and worker do not start like this.'),
  );
  return [
    ...(wrong.length > 0 ? wrong : [ok('Every variable can be read.')]),
    // Its error is told, and what stands in for it is not what was meant.
    ...(errors.some((error) => error.startsWith('BASE_URL ')) ? [] : [examineBaseUrl(config.baseUrl)]),
    ...examineMetrics(config),
  ];
}

function examineMetrics({ metricsPort, workerMetricsPort, metricsToken, host }: Config): Finding[] {
  const isOpen = metricsPort !== undefined || workerMetricsPort !== undefined;
  if (!isOpen || metricsToken !== undefined || (host && isLoopback(host))) return [];
  return [
    warning(
      `/metrics is open to whoever reaches METRICS_PORT or WORKER_METRICS_PORT on ${host ?? 'any address of this machine'}.`,
      'Set METRICS_TOKEN (16 characters or more), or let only Prometheus reach those ports.',
    ),
  ];
}

function examineBaseUrl(baseUrl: string): Finding {
  const host = hostOf(baseUrl);
  const begin = `Share addresses begin with ${baseUrl}/r/`;
  if (isLoopback(host)) {
    return warning(
      `${begin}: printed, they lead nowhere but on this machine.`,
      'Before anything is printed, set BASE_URL to the address that the world sees.',
    );
  }
  if (isPrivate(host)) return ok(`${begin}, which only this network can reach.`);
  if (baseUrl.startsWith('http:')) {
    return warning(
      `${begin}, without TLS: anybody on the way can read and change where a scan leads.`,
      'Serve it through a proxy with TLS, and set BASE_URL to its https address.',
    );
  }
  return ok(`${begin}.`);
}
