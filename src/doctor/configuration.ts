import type { Config, Environment } from '../config.ts';
import { readableAccents } from '../brand.ts';
import { currentRelease, releaseName } from '../runtime/release.ts';
import { type Finding, findingsFor, type Found, found } from './finding.ts';
import { hostOf, isLoopback, isPrivate } from '../net/address-policy.ts';

const { ok, warning, failure } = findingsFor('configuration');

/** The environment that a configuration was read from, and the variables that are read. */
interface Variables {
  env: Environment;
  variables: ReadonlySet<string>;
}

export function checkConfiguration(config: Config, errors: string[], read?: Variables): Finding[] {
  const invalid = found(invalidVariables(errors), read && misspelledVariables(read));
  return found(
    ok(`Qrelay ${releaseName(currentRelease(config))}.`),
    invalid.length > 0 ? invalid : ok('All environment variables are valid.'),
    // An invalid BASE_URL has been replaced by its default, which says nothing about this setup.
    !errors.some((error) => error.startsWith('BASE_URL ')) && checkBaseUrl(config.baseUrl),
    describeBrand(config),
    checkMetrics(config),
  );
}

export function invalidVariables(errors: string[]): Finding[] {
  return errors.map((error) =>
    failure(`${error}.`, 'Correct or unset the variable; web and worker do not start until then.'),
  );
}

function misspelledVariables(read: Variables): Finding[] {
  return findMisspelled(read).map(({ name, meant }) =>
    warning(
      `${name} is not a variable of Qrelay and is ignored${meant ? `: ${meant} has its default value` : ''}.`,
      meant ? `Rename it to ${meant}, or unset it.` : 'Correct its name, or unset it.',
    ),
  );
}

/** What people see, where the operator has changed it. */
function describeBrand({ brand, hasLandingPage, hasDemo }: Config): Found {
  const pictures = [brand.logo && 'a logo', brand.icon && 'an icon'].filter(Boolean).join(' and ');
  const accents = brand.color !== undefined && readableAccents(brand.color);
  return [
    brand.isCustom && ok(`Pages and emails are those of ${brand.name}${pictures && `, with ${pictures}`}.`),
    accents &&
      ok(`BRAND_COLOR ${brand.color} is ${accents.light} on light pages and ${accents.dark} on dark ones.`),
    brand.isCustom &&
      brand.publicName === undefined &&
      warning(
        `Pages have your look and our name, ${brand.name}.`,
        'Set BRAND_NAME to the name of your service.',
      ),
    !hasLandingPage && ok('LANDING_PAGE is off: the sign-in page is shown instead.'),
    hasDemo && !hasLandingPage && ok('DEMO is on: strangers who know /demo can look at the demo account.'),
  ];
}

function checkMetrics({ metricsPort, workerMetricsPort, metricsToken, metricsHost: host }: Config): Found {
  const isOpen = metricsPort !== undefined || workerMetricsPort !== undefined;
  if (!isOpen || metricsToken !== undefined || (host && isLoopback(host))) return undefined;
  return warning(
    `/metrics is open to anyone who can reach METRICS_PORT or WORKER_METRICS_PORT on ${host ?? 'any address of this machine'}.`,
    'Set METRICS_TOKEN (16 characters or more), allow only Prometheus to reach these ports, or set METRICS_HOST to an address of a private network.',
  );
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

/** All variables with this prefix are ours. */
const ownPrefix = 'QRELAY_';
/** Kubernetes sets these for every service, such as one that is called `qrelay`. */
const serviceLink = /_(?:SERVICE_HOST|SERVICE_PORT(?:_\w+)?|PORT(?:_\d+_(?:TCP|UDP)(?:_\w+)?)?)$/;
/** A shorter name, such as PORT, is one letter away from too many words. */
const minimumLength = 6;
const maxDistance = 2;

/**
 * Variables that are set, are not read, and resemble one that is read and not set (`meant`). The rest of the environment
 * belongs to other programs.
 */
function findMisspelled({ env, variables: known }: Variables) {
  const unset = [...known].filter((name) => !env[name] && name.length >= minimumLength);
  return Object.keys(env)
    .filter((name) => env[name] && !known.has(name) && name.length <= 64)
    .toSorted()
    .flatMap((name) => {
      const meant = nearest(name.toUpperCase().replaceAll('-', '_'), unset);
      const isOurs = name.startsWith(ownPrefix) && !serviceLink.test(name);
      return meant !== undefined || isOurs ? [{ name, meant }] : [];
    });
}

function nearest(name: string, candidates: string[]): string | undefined {
  // Also `QRELAY_REDIS_URL`, as many programs call theirs.
  const bare = name.startsWith(ownPrefix) ? name.slice(ownPrefix.length) : name;
  const [best] = candidates
    .map((candidate) => ({
      candidate,
      distance: Math.min(distance(name, candidate), distance(bare, candidate)),
    }))
    .filter((near) => near.distance <= Math.min(maxDistance, near.candidate.length / 4))
    .toSorted((a, b) => a.distance - b.distance);
  return best?.candidate;
}

/** Letters that were added, left out, replaced, or swapped with their neighbor (Damerau–Levenshtein). */
function distance(a: string, b: string): number {
  if (Math.abs(a.length - b.length) > maxDistance) return maxDistance + 1;
  let [before, above]: [number[], number[]] = [[], Array.from({ length: b.length + 1 }, (_, index) => index)];
  for (let row = 1; row <= a.length; row += 1) {
    const line = [row];
    for (let column = 1; column <= b.length; column += 1) {
      const isSame = a[row - 1] === b[column - 1];
      const isSwapped = a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1];
      line[column] = Math.min(
        (line[column - 1] ?? 0) + 1,
        (above[column] ?? 0) + 1,
        (above[column - 1] ?? 0) + (isSame ? 0 : 1),
        isSwapped ? (before[column - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY,
      );
    }
    [before, above] = [above, line];
  }
  return above[b.length] ?? 0;
}
