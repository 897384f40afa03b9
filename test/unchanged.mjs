// What passed is left out of the next run of `npm test` until one of its inputs changes. Plain JavaScript, like the runner.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, normalize, relative, sep } from 'node:path';

/** A line of a test file: the files and folders that decide whether its tests pass, besides what it imports. */
const declaration = /^\/\/ Inputs: (.+)$/m;
const relativeImport = /(?:\bfrom|\bimport)\s*\(?\s*'(\.[^']+)'/g;
/** Not written by anybody: built, installed, or left behind by programs. */
const isGenerated = (name) => /^(?:node_modules|\.git|\.data|dist(?:\..*)?|results)$|\.log$/.test(name);

/**
 * Every input of a test file: itself, its helpers in `test/`, what these import from elsewhere, and what it declares. Undefined
 * for a file that declares nothing: it always runs.
 */
export function inputsOf(root, file) {
  const [, declared] = declaration.exec(readFileSync(join(root, file), 'utf8')) ?? [];
  if (!declared) return undefined;
  const found = new Set([file]);
  for (const path of found) {
    if (!path.startsWith(`test${sep}`)) continue;
    for (const [, imported] of readFileSync(join(root, path), 'utf8').matchAll(relativeImport)) {
      const target = normalize(join(dirname(path), imported));
      if (existsSync(join(root, target))) found.add(target);
    }
  }
  return [...found, ...filesIn(root, declared.split(', '))];
}

/** Throws for a path that does not exist: a declaration must not go stale. */
export function filesIn(root, paths) {
  return paths.flatMap((path) => {
    if (!statSync(join(root, path)).isDirectory()) return [path];
    const entries = readdirSync(join(root, path), { withFileTypes: true });
    const kept = entries.filter(
      (entry) => !isGenerated(entry.name) && (entry.isDirectory() || entry.isFile()),
    );
    return kept.flatMap((entry) => filesIn(root, [join(path, entry.name)]));
  });
}

/** Changes with the content or the name of any input, with the packages, and with Node. */
export function digestOf(root, inputs) {
  const hash = createHash('sha256').update(process.version);
  for (const path of [...new Set([...inputs, 'package-lock.json'])].toSorted((a, b) => (a < b ? -1 : 1))) {
    const content = readFileSync(join(root, path));
    hash.update(`\0${path}\0${content.length}\0`).update(content);
  }
  return hash.digest('hex');
}

/** Which digests have passed, by the name of a test file or a check. In node_modules, so that a fresh clone knows nothing. */
export function openMemory(root) {
  const store = join(root, 'node_modules', '.cache', 'qrelay-tests.json');
  const passed = read(store);
  return {
    hasPassed: (name, digest) => passed[name] === digest,
    remember(names) {
      // Written as it is now: another run may have added to it.
      const known = { ...read(store), ...Object.fromEntries(names) };
      mkdirSync(dirname(store), { recursive: true });
      writeFileSync(store, JSON.stringify(known, undefined, 2));
    },
  };
}

function read(store) {
  try {
    return JSON.parse(readFileSync(store, 'utf8'));
  } catch {
    return {};
  }
}

/**
 * The test files to remember: all of their tests have passed, none was skipped, and no failure of the run belongs to no file,
 * such as a secret in the logs.
 */
export function filesToRemember(tests, failures) {
  if (failures.some(({ file, isCheck }) => !file && !isCheck)) return [];
  const names = (found) => new Set(found.map(({ file }) => file && relative('.', file)));
  const bad = new Set([...names(failures), ...names(tests.filter(({ isSkipped }) => isSkipped))]);
  return [...names(tests)].filter((name) => name && !bad.has(name));
}
