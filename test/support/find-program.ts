import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** The first of these programs on the PATH. `npm test` installs what is missing before it starts: see test/packages.mjs. */
export function findProgram(...names: string[]): string | undefined {
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  return names
    .flatMap((name) => folders.map((folder) => join(folder, name)))
    .find((path) => existsSync(path));
}
