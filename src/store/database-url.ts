/**
 * One URL per host of a URL such as `postgres://user:password@a:5432,b:5432/qrelay`, which libpq accepts and pg does not.
 * Everything but the host is the same in each.
 */
export function splitHosts(text: string): string[] {
  const queryAt = text.search(/[?#]/);
  const main = queryAt < 0 ? text : text.slice(0, queryAt);
  const hostAt = Math.max(main.lastIndexOf('@'), main.indexOf('//') + 1) + 1;
  const pathAt = main.indexOf('/', hostAt);
  const hostEnd = pathAt < 0 ? main.length : pathAt;
  const [before, after] = [text.slice(0, hostAt), text.slice(hostEnd)];
  return main
    .slice(hostAt, hostEnd)
    .split(',')
    .map((host) => `${before}${host}${after}`);
}

/** Host, port and database of each server, without user and password. */
export function serverNames(databaseUrl: string): string {
  const urls = splitHosts(databaseUrl).map((url) => new URL(url));
  const [first] = urls;
  // A path with an @ is the rest of a password that was not escaped.
  const database = !first || first.pathname === '/' || first.pathname.includes('@') ? '' : first.pathname;
  return `${urls.map(({ host }) => host).join(',')}${database}`;
}

const attribute = 'target_session_attrs';
/** What libpq accepts as `target_session_attrs`, by what we need of the server. */
const accepted = {
  primary: ['read-write', 'primary'],
  replica: ['any', 'standby', 'prefer-standby', 'read-only'],
};
const maxHosts = 16;

/** The rest of the message "NAME …" for a URL whose hosts, or what it says about them, we cannot use. */
export function hostsError(text: string, role: keyof typeof accepted): string | undefined {
  if (parameter(text, 'host')?.includes(',')) {
    return 'must list its hosts before the database, as in postgres://user:password@a:5432,b:5432/qrelay';
  }
  const hosts = splitHosts(text);
  if (hosts.length > maxHosts) return `must not have more than ${maxHosts} hosts`;
  if (hosts.length > 1 && hosts.some((url) => /(?:\/\/|@)(?:[:/?#]|$)/.test(url)))
    return 'must have a name or address for each host';
  const given = parameter(text, attribute);
  if (given === undefined || accepted[role].includes(given)) return undefined;
  return `must not have ${attribute}=${given}: use ${accepted[role].join(' or ')}, or leave it out`;
}

/** Whether connections must look for the server that accepts writes: among several hosts, or because the URL asks for it. */
export function needsPrimarySearch(databaseUrl: string): boolean {
  return splitHosts(databaseUrl).length > 1 || parameter(databaseUrl, attribute) !== undefined;
}

function parameter(text: string, name: string): string | undefined {
  const [, query = ''] = text.split('?', 2);
  return new URLSearchParams(query.split('#', 1)[0]).get(name) ?? undefined;
}
