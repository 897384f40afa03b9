import { accessSync, constants } from 'node:fs';

const fileParameters = ['sslrootcert', 'sslcert', 'sslkey'];

/** What is wrong with an address of a server that can be read as a URL, or could be but for this. */
export function serverAddressError(text: string, url: URL | undefined): string | undefined {
  if (namesMany(text)) {
    return 'must name one server, and names several: set a name that follows the primary, or that of a proxy before them';
  }
  for (const parameter of fileParameters) {
    const file = url?.searchParams.get(parameter);
    try {
      if (file) accessSync(file, constants.R_OK);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      return `has ${parameter}=${file}, which cannot be read (${code}): set the path of a file that this user may read`;
    }
  }
  return undefined;
}

/** `a:5432,b:5432`, as libpq takes it: in the place of the host, or as a parameter. */
function namesMany(text: string): boolean {
  const hostAt = Math.max(text.lastIndexOf('@'), text.indexOf('//') + 1) + 1;
  const [hosts = ''] = text.slice(hostAt).split(/[/?#]/, 1);
  return hosts.includes(',') || /[?&]host=[^&#,%]*(?:,|%2c)/i.test(text);
}
