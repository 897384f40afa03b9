import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';

/** Why certificates cannot be read from the file: the rest of a message that starts with the name of its variable. */
export function caFileError(file: string): string | undefined {
  let content: Buffer;
  try {
    content = readFileSync(file);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return `is ${file}, which cannot be read (${code}): use the path of a file that this user can read`;
  }
  return isCertificate(content)
    ? undefined
    : `is ${file}, which has no certificate: use a PEM file that starts with -----BEGIN CERTIFICATE-----`;
}

function isCertificate(content: Buffer): boolean {
  try {
    return new X509Certificate(content).raw.length > 0;
  } catch {
    return false;
  }
}
