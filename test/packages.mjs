// The Debian packages that the tests use. In plain JavaScript, as the runner is.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** Package → programs, any of which is enough. */
const packages = {
  'redis-server': ['redis-server', 'valkey-server'],
  chromium: ['chromium', 'chromium-browser', 'google-chrome'],
  pgbouncer: ['pgbouncer'],
  prometheus: ['promtool'],
  openssl: ['openssl'],
};

/** Installs what is missing, where we may: as root, with apt. Tests that lack a program are skipped and say so. */
export async function installMissingPackages() {
  const missing = Object.keys(packages).filter((name) => !packages[name].some(isOnPath));
  if (missing.length === 0 || process.getuid?.() !== 0 || !existsSync('/usr/bin/apt-get')) return;
  console.log(`Installing ${missing.join(', ')} for the tests ...`);
  const install = (...names) => apt('install', '-y', ...names);
  if ((await install(...missing)) || ((await apt('update')) && (await install(...missing)))) return;
  // One that this release does not have must not keep the others away.
  for (const name of missing) await install(name);
}

function isOnPath(program) {
  const folders = (process.env.PATH ?? '').split(delimiter);
  return folders.some((folder) => existsSync(join(folder, program)));
}

async function apt(...args) {
  const child = spawn('apt-get', ['-qq', '-o', 'DPkg::Lock::Timeout=300', ...args], {
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const [code] = await once(child, 'close');
  return code === 0;
}
