import { createRequire } from 'node:module';

/** The release. A built file is one folder deeper, in dist. */
export const version = readVersion(import.meta.url.includes('/dist/src/') ? '../../../' : '../../');

function readVersion(root: string): string {
  return (createRequire(import.meta.url)(`${root}package.json`) as { version: string }).version;
}
