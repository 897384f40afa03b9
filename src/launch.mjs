// Plain JavaScript, because it runs before anything is installed or built: it installs what the lockfile names and is
// missing, builds what has changed, and then becomes the program that was asked for.
//
//   node src/launch.mjs                 install and build
//   node src/launch.mjs dev             install and run src/standalone.ts, which follows changes of the sources
//   node src/launch.mjs standalone …    install, build and run dist/src/standalone.js
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  cpSync,
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const here = dirname(dirname(fileURLToPath(import.meta.url)));
const sources = ['src', 'workers', 'migrations'];

/** Installs when a package that the lockfile names is not there in that version. */
export async function ensureInstalled(root = here) {
  if (isInstalled(root)) return;
  console.error('Installing packages (once) ...');
  // As npm started us, where it did.
  const self = process.env.npm_execpath ?? '';
  const npm = self.endsWith('npm-cli.js') ? [process.execPath, self] : ['npm'];
  // Dev packages too, whatever NODE_ENV says: the compiler is one of them. `npm ci` would start by deleting what is there.
  // No package needs to run a script of its own to be installed, and so none may.
  const quietly = ['--no-audit', '--no-fund', '--no-update-notifier', '--loglevel=error'];
  await run(
    root,
    [...npm, 'install', '--no-save', '--ignore-scripts', '--include=dev', '--include=optional', ...quietly],
    'The packages could not be installed',
  );
}

export function isInstalled(root = here) {
  const list = join(root, 'node_modules', '.package-lock.json');
  if (!existsSync(list)) return false;
  const wanted = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')).packages;
  const installed = JSON.parse(readFileSync(list, 'utf8')).packages;
  return Object.entries(wanted).every(
    ([path, entry]) =>
      path === '' ||
      !isNeededHere(entry) ||
      (installed[path]?.version === entry.version && existsSync(join(root, path, 'package.json'))),
  );
}

/**
 * Of the optional packages, those made for this very platform: PostgreSQL and the compiler are among them. One without a
 * checksum could not be had when the lockfile was written, and may not be to be had now.
 */
function isNeededHere({ optional, os, cpu, libc, integrity }) {
  if (!optional) return true;
  return integrity && !libc && os?.includes(process.platform) && cpu?.includes(process.arch);
}

/** Builds when the sources are not those that the last build was made from. */
export async function ensureBuilt(root = here) {
  const digest = digestSources(root);
  if (isBuilt(root, digest)) return;
  const dist = join(root, 'dist');
  sweep(root);
  // Made beside the old build and moved into its place: nobody meets half of one.
  const fresh = `${dist}.new.${process.pid}`;
  const old = `${dist}.old.${process.pid}`;
  const compiler = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
  const tidy = () => {
    for (const folder of [fresh, old]) rmSync(folder, { recursive: true, force: true });
  };
  await run(root, [process.execPath, compiler, '-p', root, '--outDir', fresh], 'The build failed', tidy);
  copyAssets(join(root, 'src', 'web'), join(fresh, 'src', 'web'));
  writeFileSync(join(fresh, 'built-from'), digest);
  try {
    if (existsSync(dist)) renameSync(dist, old);
    renameSync(fresh, dist);
  } catch (error) {
    // Another process built the same at the same time, and was first.
    if (!isBuilt(root, digest)) throw error;
  } finally {
    tidy();
  }
}

/** Style sheets, browser scripts and icons, which the compiler does not copy. */
function copyAssets(from, to) {
  if (!existsSync(from)) return;
  const isAsset = (path) => statSync(path).isDirectory() || /\.(?:css|svg|browser\.js)$/.test(path);
  cpSync(from, to, { recursive: true, filter: isAsset });
}

export function isBuilt(root = here, digest = digestSources(root)) {
  const stamp = join(root, 'dist', 'built-from');
  return existsSync(stamp) && readFileSync(stamp, 'utf8') === digest;
}

/** Removes what a killed build left behind. */
function sweep(root) {
  for (const name of readdirSync(root)) {
    const pid = /^dist\.(?:new|old)\.(\d+)$/.exec(name)?.[1];
    if (pid && !isAlive(Number(pid))) rmSync(join(root, name), { recursive: true, force: true });
  }
}

function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}

function digestSources(root) {
  const hash = createHash('sha256');
  const files = sources.flatMap((folder) => filesBelow(root, folder));
  for (const file of ['package-lock.json', 'tsconfig.json', ...files]) {
    hash
      .update(file)
      .update('\0')
      .update(readFileSync(join(root, file)))
      .update('\0');
  }
  return hash.digest('hex');
}

function filesBelow(root, folder) {
  return readdirSync(join(root, folder), { withFileTypes: true })
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) =>
      entry.isDirectory() ? filesBelow(root, join(folder, entry.name)) : [join(folder, entry.name)],
    );
}

/**
 * Runs a program to its end; does not come back when it fails or when we are asked to stop. What it prints goes to
 * standard error: standard output belongs to the program that is asked for.
 */
function run(root, [command, ...args], failure, tidy = () => undefined) {
  return new Promise((resolve) => {
    const child = spawn(command, args, { cwd: root, stdio: ['ignore', 2, 2] });
    let stoppedBy;
    const stop = (signal) => {
      stoppedBy = signal;
      child.kill('SIGTERM');
    };
    process.on('SIGINT', stop);
    process.on('SIGTERM', stop);
    const end = (status, error) => {
      process.off('SIGINT', stop);
      process.off('SIGTERM', stop);
      if (status === 0 && !stoppedBy) return resolve();
      tidy();
      if (stoppedBy) return process.kill(process.pid, stoppedBy);
      console.error(`${failure}${error ? ` (${error.message})` : ''}.`);
      process.exit(1);
    };
    child.once('error', (error) => end(1, error));
    child.once('exit', (status) => end(status));
  });
}

function checkNode(root = here) {
  const { engines } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const [major, minor] = engines.node.replace('>=', '').split('.').map(Number);
  const [ourMajor, ourMinor] = process.versions.node.split('.').map(Number);
  if (ourMajor > major || (ourMajor === major && ourMinor >= minor)) return;
  console.error(`Qrelay needs Node ${engines.node}, and this is ${process.versions.node}.`);
  process.exit(1);
}

/**
 * npm killed outright cannot pass the signal on, and asked to end it leaves before us: its death is only seen in who our
 * parents are. It stands behind a shell, unless the shell has made way for us.
 */
function endWithNpm() {
  const script = process.env.npm_lifecycle_script;
  if (!script) return;
  const parents = () => {
    const parent = process.ppid;
    const isShell = readProc(parent, 'cmdline').replaceAll('\0', ' ').includes(script);
    const stat = readProc(parent, 'stat');
    return isShell ? `${parent} ${stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]}` : `${parent}`;
  };
  const atStart = parents();
  const watch = setInterval(() => {
    if (parents() === atStart) return;
    clearInterval(watch);
    process.kill(process.pid, 'SIGTERM');
  }, 250).unref();
}

function readProc(pid, name) {
  try {
    return readFileSync(`/proc/${pid}/${name}`, 'utf8');
  } catch {
    return '';
  }
}

/** Runs a program in this process, as if it had been started with its own arguments. */
async function become(file, ...args) {
  process.argv.splice(1, process.argv.length, file, ...args);
  await import(pathToFileURL(file).href);
}

if (process.argv[1] && pathToFileURL(process.argv[1]).href === import.meta.url) {
  const [entry, ...args] = process.argv.slice(2);
  checkNode();
  endWithNpm();
  await ensureInstalled();
  if (entry === 'dev') {
    const { register } = await import('tsx/esm/api');
    register();
    await become(join(here, 'src', 'standalone.ts'), '--watch');
  } else {
    await ensureBuilt();
    if (entry !== undefined) await become(join(here, 'dist', 'src', `${entry}.js`), ...args);
  }
}
