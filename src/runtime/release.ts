import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** What runs here. The commit is the one that the build noted, or what QRELAY_COMMIT says. Neither: run from the sources. */
export interface Release {
  version: string;
  commit: string | undefined;
}

export function currentRelease({ commit }: { commit: string | undefined }): Release {
  return { version: readVersion(), commit: commit ?? readBuiltCommit() };
}

/** What src/launch.mjs has written into the folder of the build. */
function readBuiltCommit(): string | undefined {
  const file = fileURLToPath(new URL('../../commit', import.meta.url));
  return existsSync(file) ? readFileSync(file, 'utf8') : undefined;
}

/** `0.2.0 (1a2b3c4)`, or only the version. */
export function releaseName({ version, commit }: Release): string {
  return commit === undefined ? version : `${version} (${commit})`;
}

function readVersion(): string {
  // From the sources, package.json is two folders up; from dist, three.
  const file = ['../../package.json', '../../../package.json']
    .map((path) => fileURLToPath(new URL(path, import.meta.url)))
    .find((path) => existsSync(path));
  if (file === undefined) throw new Error('package.json is missing: install the complete release');
  return (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version;
}
