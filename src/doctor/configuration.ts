import type { Config, Environment } from '../config.ts';
import { hostOf, isLoopback, isPrivate } from './host-range.ts';
import { type Finding, findingsFor } from './finding.ts';
import { currentRelease, releaseName } from '../runtime/release.ts';
import { findMisspelled } from './misspelled-variables.ts';

const { ok, warning, failure } = findingsFor('configuration');

/** The environment that a configuration was read from, and the variables that are read. */
export interface Variables {
  env: Environment;
  variables: ReadonlySet<string>;
}

export function checkConfiguration(config: Config, errors: string[], read?: Variables): Finding[] {
  const invalid = [...invalidVariables(errors), ...(read ? misspelledVariables(read) : [])];
  return [
    ok(`Qrelay ${releaseName(currentRelease(config))}.`),
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

function misspelledVariables({ env, variables }: Variables): Finding[] {
  return findMisspelled(env, variables).map(({ name, meant }) =>
    warning(
      `${name} is not a variable of Qrelay and is ignored${meant ? `: ${meant} has its default value` : ''}.`,
      meant ? `Rename it to ${meant}, or unset it.` : 'Correct its name, or unset it.',
    ),
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
  const reach = isPrivate(host) ? ', which is reachable from this network only' : '';
  if (baseUrl.startsWith('https:')) return ok(`${start}${reach}.`);
  // A printed code cannot be changed, and what it leads to can be changed by anyone in between.
  return (isPrivate(host) ? warning : failure)(
    `${start}${reach}, without TLS: anyone on the network path can read passwords and sessions and change where a scan leads, and passkeys do not work.`,
    'Put a proxy with TLS in front, and set BASE_URL to its https address before you print codes.',
  );
}
