import { accessSync, constants } from 'node:fs';

const fileParameters = ['sslrootcert', 'sslcert', 'sslkey'];

export function hasScheme(text: string, protocols: string[]): boolean {
  return protocols.some((protocol) => text.toLowerCase().startsWith(`${protocol}//`));
}

/** The rest of the message "NAME …" for a server URL that we cannot use, although its scheme is right. */
export function serverAddressError(text: string, url: URL | undefined): string | undefined {
  if (hasSeveralHosts(text)) {
    return 'must name a single server: use a host name that follows the primary, or a proxy in front of the servers';
  }
  for (const parameter of fileParameters) {
    const file = url?.searchParams.get(parameter);
    try {
      if (file) accessSync(file, constants.R_OK);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      return `has ${parameter}=${file}, which cannot be read (${code}): use the path of a file that this user can read`;
    }
  }
  return undefined;
}

/** `a:5432,b:5432` as the host or in the `host` parameter, which libpq accepts. */
function hasSeveralHosts(text: string): boolean {
  const hostAt = Math.max(text.lastIndexOf('@'), text.indexOf('//') + 1) + 1;
  const [hosts = ''] = text.slice(hostAt).split(/[/?#]/, 1);
  return hosts.includes(',') || /[?&]host=[^&#,%]*(?:,|%2c)/i.test(text);
}
