// Installs missing packages, builds if the sources have changed, then runs the requested program in this process.
// Plain JavaScript, because it runs before anything is installed or built.
//
//   node src/launch.mjs                 install what running needs, and build
//   node src/launch.mjs tools           the same, with what tests and benchmarks need
//   node src/launch.mjs dev             install and run src/standalone.ts, which restarts on source changes
//   node src/launch.mjs standalone …    install, build and run dist/src/standalone.js
import { spawn, spawnSync } from 'node:child_process';
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

/**
 * Runs `npm install` unless every package of the lockfile is installed in its locked version. Without `tools`, only what
 * building and running need: half of the packages are linters, test tools and types.
 */
export async function ensureInstalled({ root = here, tools = false } = {}) {
  if (isInstalled({ root, tools })) return;
  console.error('Installing packages (once) ...');
  // The same npm that started this script, if one did.
  const npmPath = process.env.npm_execpath ?? '';
  const npm = npmPath.endsWith('npm-cli.js') ? [process.execPath, npmPath] : ['npm'];
  // Not `npm ci`, which deletes node_modules first. Install scripts are disabled: no package needs one.
  const quiet = ['--no-audit', '--no-fund', '--no-update-notifier', '--loglevel=error'];
  // npm removes what it is told to omit. Both are explicit, whatever NODE_ENV says.
  const dev = tools || hasTools(root) ? '--include=dev' : '--omit=dev';
  await run(
    root,
    [...npm, 'install', '--no-save', '--ignore-scripts', dev, '--include=optional', ...quiet],
    'Packages could not be installed',
  );
}

export function isInstalled({ root = here, tools = false } = {}) {
  const installed = installedPackages(root);
  if (!installed) return false;
  const wanted = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')).packages;
  return Object.entries(wanted).every(
    ([path, entry]) =>
      path === '' ||
      (entry.dev && !tools) ||
      !isRequired(entry) ||
      (installed[path]?.version === entry.version && existsSync(join(root, path, 'package.json'))),
  );
}

function hasTools(root) {
  return Object.values(installedPackages(root) ?? {}).some(({ dev }) => dev);
}

/** As npm lists them. Undefined if there is no such list. */
function installedPackages(root) {
  const list = join(root, 'node_modules', '.package-lock.json');
  return existsSync(list) ? JSON.parse(readFileSync(list, 'utf8')).packages : undefined;
}

/**
 * Optional packages count only if they are built for this platform, as PostgreSQL and the compiler are. One without a
 * checksum was unavailable when the lockfile was written and may still be.
 */
function isRequired({ optional, os, cpu, libc, integrity }) {
  if (!optional) return true;
  return integrity && !libc && os?.includes(process.platform) && cpu?.includes(process.arch);
}

/** Builds unless dist was built from exactly these sources. */
export async function ensureBuilt(root = here) {
  const digest = digestSources(root);
  const dist = join(root, 'dist');
  if (isBuilt(root, digest)) return noteCommit(root, dist);
  removeStaleBuilds(root);
  // Built beside the old build and renamed into place, so that no process sees half a build.
  const fresh = `${dist}.new.${process.pid}`;
  const old = `${dist}.old.${process.pid}`;
  const compiler = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
  const cleanUp = () => {
    for (const folder of [fresh, old]) rmSync(folder, { recursive: true, force: true });
  };
  // Types are checked by `npm test`: what they need is not installed for running.
  const options = ['-p', root, '--outDir', fresh, '--noCheck', '--types', ''];
  await run(root, [process.execPath, compiler, ...options], 'The build failed', cleanUp);
  for (const folder of [join('src', 'web'), join('src', 'codes')])
    copyAssets(join(root, folder), join(fresh, folder));
  writeFileSync(join(fresh, 'built-from'), digest);
  noteCommit(root, fresh);
  try {
    if (existsSync(dist)) renameSync(dist, old);
    renameSync(fresh, dist);
  } catch (error) {
    // Another process has finished the same build first.
    if (!isBuilt(root, digest)) throw error;
  } finally {
    cleanUp();
  }
}

/**
 * Writes down the commit that is built, for `qrelay --version`, the log, the metrics and the doctor. Where the build is no git
 * clone, it keeps what is there; QRELAY_COMMIT names the commit for the build of an image, which has no git folder.
 */
function noteCommit(root, dist) {
  const commit = process.env.QRELAY_COMMIT?.trim() || readCommit(root);
  const file = join(dist, 'commit');
  if (!commit || (existsSync(file) && readFileSync(file, 'utf8') === commit)) return;
  try {
    writeFileSync(file, commit);
  } catch {
    // A build that this user may only read.
  }
}

/** Undefined if this is not the root of a git clone, or git is missing. */
function readCommit(root) {
  const git = (...args) => spawnSync('git', args, { cwd: root, encoding: 'utf8' }).stdout?.trim() ?? '';
  // Only our own: the release may have been unpacked inside another project.
  if (!existsSync(join(root, '.git'))) return undefined;
  const commit = git('rev-parse', '--short=12', 'HEAD');
  if (!/^[0-9a-f]{12,64}$/.test(commit)) return undefined;
  const built = [...sources, 'package.json', 'package-lock.json', 'tsconfig.json'];
  return git('status', '--porcelain', '--', ...built) === '' ? commit : `${commit}-dirty`;
}

/** Copies style sheets, browser scripts, icons and fonts, which the compiler leaves out. */
function copyAssets(from, to) {
  if (!existsSync(from)) return;
  const isAsset = (path) => statSync(path).isDirectory() || /\.(?:css|svg|browser\.js|ttf|txt)$/.test(path);
  cpSync(from, to, { recursive: true, filter: isAsset });
}

export function isBuilt(root = here, digest = digestSources(root)) {
  const stamp = join(root, 'dist', 'built-from');
  return existsSync(stamp) && readFileSync(stamp, 'utf8') === digest;
}

/** Removes the folders of builds that were killed. */
function removeStaleBuilds(root) {
  for (const name of readdirSync(root)) {
    const pid = /^dist\.(?:new|old)\.(\d+)$/.exec(name)?.[1];
    if (pid && !isAlive(Number(pid))) rmSync(join(root, name), { recursive: true, force: true });
  }
}

/** A copy of isAlive in runtime/process-identity.ts, which is not compiled yet when this script runs. */
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
  const files = sources.flatMap((folder) => listFiles(root, folder));
  for (const file of ['package-lock.json', 'tsconfig.json', ...files]) {
    hash
      .update(file)
      .update('\0')
      .update(readFileSync(join(root, file)))
      .update('\0');
  }
  return hash.digest('hex');
}

function listFiles(root, folder) {
  return readdirSync(join(root, folder), { withFileTypes: true })
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) =>
      entry.isDirectory() ? listFiles(root, join(folder, entry.name)) : [join(folder, entry.name)],
    );
}

/**
 * Runs a program and resolves when it succeeds; exits this process when it fails or when we are told to stop. Its output
 * goes to standard error, because standard output belongs to the requested program.
 */
function run(root, [command, ...args], failure, cleanUp = () => undefined) {
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
      cleanUp();
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
  console.error(`Qrelay needs Node ${engines.node}; this is ${process.versions.node}.`);
  process.exit(1);
}

/**
 * Shuts down when npm exits. A killed npm cannot forward the signal, so we poll for a change of our parent process, and
 * of the parent's parent if npm runs the script through a shell.
 */
export function shutDownWithNpm() {
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

export function readProc(pid, name) {
  try {
    return readFileSync(`/proc/${pid}/${name}`, 'utf8');
  } catch {
    return '';
  }
}

/** Runs a program in this process, as if it had been started with these arguments. */
async function runInProcess(file, ...args) {
  process.argv.splice(1, process.argv.length, file, ...args);
  await import(pathToFileURL(file).href);
}

if (process.argv[1] && pathToFileURL(process.argv[1]).href === import.meta.url) {
  const [entry, ...args] = process.argv.slice(2);
  checkNode();
  shutDownWithNpm();
  await ensureInstalled({ tools: entry === 'dev' || entry === 'tools' });
  if (entry === 'dev') {
    process.env['NODE_ENV'] ??= 'development';
    const { register } = await import('tsx/esm/api');
    register();
    await runInProcess(join(here, 'src', 'standalone.ts'), '--watch');
  } else {
    await ensureBuilt();
    if (entry !== undefined && entry !== 'tools')
      await runInProcess(join(here, 'dist', 'src', `${entry}.js`), ...args);
  }
}
