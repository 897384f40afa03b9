// Plain JavaScript, because it runs before anything is installed or built: it installs what the lockfile names and is
// missing, builds what has changed, and then becomes the program that was asked for.
//
//   node src/launch.mjs                 install and build
//   node src/launch.mjs --install       install only
//   node src/launch.mjs standalone …    install, build and run dist/src/standalone.js
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const dist = join(root, 'dist');
const stamp = join(dist, 'built-from');
const sources = ['src', 'workers', 'migrations'];

/** Installs when a package that the lockfile names is not there in that version. */
export function ensureInstalled() {
  if (isInstalled()) return;
  console.error('Installing packages (once) ...');
  // As npm started us, where it did; dev packages too, whatever NODE_ENV says: the compiler is one of them.
  const npm = process.env.npm_execpath ? [process.execPath, process.env.npm_execpath] : ['npm'];
  run(
    [...npm, 'ci', '--include=dev', '--no-audit', '--no-fund', '--loglevel=error'],
    'The packages could not be installed',
  );
}

function isInstalled() {
  const installedList = join(root, 'node_modules', '.package-lock.json');
  if (!existsSync(installedList)) return false;
  const wanted = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')).packages;
  const installed = JSON.parse(readFileSync(installedList, 'utf8')).packages;
  return Object.entries(wanted).every(
    ([path, { version, optional }]) => path === '' || optional || installed[path]?.version === version,
  );
}

/** Builds when the sources are not those that the last build was made from. */
export function ensureBuilt() {
  const digest = digestSources();
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === digest) return;
  const fresh = `${dist}.${process.pid}`;
  const compiler = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
  run([process.execPath, compiler, '-p', root, '--outDir', fresh], 'The build failed');
  writeFileSync(join(fresh, 'built-from'), digest);
  // Made beside the old build and moved into its place: nobody meets half of one.
  const old = `${dist}.old.${process.pid}`;
  if (existsSync(dist)) renameSync(dist, old);
  renameSync(fresh, dist);
  rmSync(old, { recursive: true, force: true });
}

function digestSources() {
  const hash = createHash('sha256');
  for (const file of ['package-lock.json', 'tsconfig.json', ...sources.flatMap(filesBelow)]) {
    hash
      .update(file)
      .update('\0')
      .update(readFileSync(join(root, file)))
      .update('\0');
  }
  return hash.digest('hex');
}

function filesBelow(folder) {
  return readdirSync(join(root, folder), { withFileTypes: true })
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) =>
      entry.isDirectory() ? filesBelow(join(folder, entry.name)) : [join(folder, entry.name)],
    );
}

/** What it prints goes to standard error: standard output belongs to the program that is asked for. */
function run([command, ...args], failure) {
  const { status, error } = spawnSync(command, args, { cwd: root, stdio: ['ignore', 2, 2] });
  if (status === 0) return;
  console.error(`${failure}${error ? ` (${error.message})` : ''}.`);
  process.exit(1);
}

if (process.argv[1] && pathToFileURL(process.argv[1]).href === import.meta.url) {
  const entry = process.argv[2];
  ensureInstalled();
  if (entry !== '--install') ensureBuilt();
  if (entry !== undefined && entry !== '--install') {
    process.argv.splice(1, 2, join(dist, 'src', `${entry}.js`));
    await import(pathToFileURL(process.argv[1]).href);
  }
}
