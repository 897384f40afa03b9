// The Debian packages that the tests use. In plain JavaScript, as the runner is.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { delimiter, isAbsolute, join } from 'node:path';

/** Package → programs or files, any of which is enough. */
const packages = {
  'redis-server': ['redis-server', 'valkey-server'],
  chromium: ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome'],
  pgbouncer: ['pgbouncer'],
  prometheus: ['promtool'],
  openssl: ['openssl'],
  nginx: ['nginx'],
  caddy: ['caddy'],
  haproxy: ['haproxy'],
  // With its server: pg_basebackup and pg_dump must not be older than the server, and the embedded one has neither.
  postgresql: ['pg_createcluster'],
  systemd: ['systemd-analyze'],
  'poppler-utils': ['pdftoppm'],
  // The examples of the docs are run.
  curl: ['curl'],
  python3: ['python3'],
  'php-cli': ['php'],
  'php-curl': ['8.2', '8.3', '8.4', '8.5'].map((version) => `/etc/php/${version}/mods-available/curl.ini`),
  qpdf: ['qpdf'],
  // For processes whose clock is stepped while they run.
  faketime: ['faketime'],
  // Pages are printed in Chinese.
  'fonts-wqy-microhei': [
    '/usr/share/fonts/truetype/wqy/wqy-microhei.ttc',
    '/usr/share/fonts/opentype/noto/NotoSansCJK-Regular.ttc',
  ],
};

/** Tests run without it, only slower: in a Chromium that has windows. */
const faster = { 'chromium-headless-shell': ['chromium-headless-shell'] };

/** Installs what is missing, where we may: as root, with apt. Tests that lack a program or font are skipped and say so. */
export async function installMissingPackages() {
  if (process.getuid?.() !== 0 || !existsSync('/usr/bin/apt-get')) return;
  // First: where it succeeds, no other browser is needed.
  for (const name of missingOf(faster)) await tryInstall(name);
  await installRequired(missingOf(packages));
}

/** For tests that need more, such as those of the image. True if every package has a program on the PATH then. */
export async function installPackages(wanted) {
  if (process.getuid?.() === 0 && existsSync('/usr/bin/apt-get')) await installRequired(missingOf(wanted));
  return missingOf(wanted).length === 0;
}

async function installRequired(missing) {
  if (missing.length === 0) return;
  console.log(`Installing ${missing.join(', ')} for the tests ...`);
  const install = (...names) => apt(['install', '-y', ...names]);
  if ((await install(...missing)) || ((await apt(['update'])) && (await install(...missing)))) return;
  // One that this release does not have must not keep the others away.
  for (const name of missing) await install(name);
}

/** Once, and not for long: this machine may have no network, or another version of what the package depends on. */
async function tryInstall(name) {
  const quickly = ['-o', 'Acquire::Retries=0', '-o', 'Acquire::http::Timeout=5', '--no-remove'];
  await apt([...quickly, 'install', '-y', name], { stderr: 'ignore' });
}

function missingOf(wanted) {
  return Object.keys(wanted).filter((name) => !wanted[name].some(isPresent));
}

function isPresent(programOrFile) {
  if (isAbsolute(programOrFile)) return existsSync(programOrFile);
  const folders = (process.env.PATH ?? '').split(delimiter);
  return folders.some((folder) => existsSync(join(folder, programOrFile)));
}

async function apt(args, { stderr = 'inherit' } = {}) {
  const child = spawn('apt-get', ['-qq', '-o', 'DPkg::Lock::Timeout=300', ...args], {
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
    stdio: ['ignore', 'ignore', stderr],
  });
  const [code] = await once(child, 'close');
  return code === 0;
}
