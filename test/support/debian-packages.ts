import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** The first of these programs that is on the PATH; if none is, Debian's package with one of them, where we may. */
export function findOrInstall(names: string[], debianPackage: string): string | undefined {
  return findOnPath(names) ?? (install(debianPackage) ? findOnPath(names) : undefined);
}

function findOnPath(names: string[]): string | undefined {
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  return names
    .flatMap((name) => folders.map((folder) => join(folder, name)))
    .find((path) => existsSync(path));
}

/** As root, with apt. */
function install(debianPackage: string): boolean {
  if (process.getuid?.() !== 0 || !existsSync('/usr/bin/apt-get')) return false;
  console.log(`Installing ${debianPackage} for the tests ...`);
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  // Both halves of the tests may come here at once: the second waits for the first.
  const options = ['-qq', '-o', 'DPkg::Lock::Timeout=300'];
  const apt = (...args: string[]) =>
    spawnSync('apt-get', [...options, ...args], { env, stdio: ['ignore', 'ignore', 'inherit'] }).status === 0;
  return apt('install', '-y', debianPackage) || (apt('update') && apt('install', '-y', debianPackage));
}
