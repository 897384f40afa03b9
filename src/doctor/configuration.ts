import type { Config } from '../config.ts';
import { hostOf, isLoopback, isPrivate } from './host-range.ts';
import { type Finding, findingsFor } from './finding.ts';

const { ok, warning, failure } = findingsFor('configuration');

export function checkConfiguration(config: Config, errors: string[]): Finding[] {
  const invalid = invalidVariables(errors);
  return [
    ...(invalid.length > 0 ? invalid : [ok('All environment variables are valid.')]),
    // An invalid BASE_URL has been replaced by its default, which says nothing about this setup.
    ...(errors.some((error) => error.startsWith('BASE_URL ')) ? [] : [checkBaseUrl(config.baseUrl)]),
    ...checkMetrics(config),
  ];
}

export function invalidVariables(errors: string[]): Finding[] {
  return errors.map((error) =>
    failure(`${error}.`, 'Correct or unset the variable; web and worker do not start until then.'),
  );
}

function checkMetrics({
  metricsPort,
  workerMetricsPort,
  metricsToken,
  metricsHost: host,
}: Config): Finding[] {
  const isOpen = metricsPort !== undefined || workerMetricsPort !== undefined;
  if (!isOpen || metricsToken !== undefined || (host && isLoopback(host))) return [];
  return [
    warning(
      `/metrics is open to anyone who can reach METRICS_PORT or WORKER_METRICS_PORT on ${host ?? 'any address of this machine'}.`,
      'Set METRICS_TOKEN (16 characters or more), allow only Prometheus to reach these ports, or set METRICS_HOST to an address of a private network.',
    ),
  ];
}

function checkBaseUrl(baseUrl: string): Finding {
  const host = hostOf(baseUrl);
  const start = `Share links start with ${baseUrl}/r/`;
  if (isLoopback(host)) {
    return warning(
      `${start}: they work only on this machine.`,
      'Set BASE_URL to the public address of the service before you print codes.',
    );
  }
  if (isPrivate(host)) return ok(`${start}, which is reachable from this network only.`);
  if (baseUrl.startsWith('http:')) {
    return warning(
      `${start}, without TLS: anyone on the network path can read and change where a scan leads.`,
      'Put a proxy with TLS in front, and set BASE_URL to its https address.',
    );
  }
  return ok(`${start}.`);
}
