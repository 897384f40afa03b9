// The whole of `npm test`, in plain JavaScript because it runs before anything is installed. Installs, builds, then runs
// every check and every test, and ends with one line that counts them.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { availableParallelism, setPriority, tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { createInterface } from 'node:readline';
import { ensureBuilt, ensureInstalled, readProc, shutDownWithNpm } from '../src/launch.mjs';
import { isLogLine, secretsIn } from './log-check.mjs';
import { installMissingPackages } from './packages.mjs';
import { digestOf, filesIn, filesToRemember, inputsOf, openMemory } from './unchanged.mjs';

const checks = {
  format: ['biome', 'format', '.'],
  lint: ['oxlint', '--type-aware'],
  types: ['tsc', '-p', 'test/tsconfig.json'],
  'unused code': ['knip'],
};
const allChecks = Object.keys(checks).join(', ');

/** More than there are cores: a quarter of the time, a test waits for processes, a browser or a server. */
const workers = Math.min(2 * availableParallelism(), 6);

/**
 * These take longest, so they start first: none of them is left over for one worker at the end. Those that start processes
 * and those that use a browser alternate, so that not all of one kind run at once.
 */
const longest = [
  'test/processes/start',
  'test/web/codes/form-in',
  'test/regular-expressions',
  'test/hostile/tenancy',
  'test/web/docs/docs-in',
  'test/clients',
  'test/web/codes/design',
  'test/web/admin/in',
  'test/hostile/files',
  'test/web/codes/list',
  'test/hostile/logos',
  'test/web/codes/detail',
  'test/telemetry/metrics',
  'test/web/codes/form',
  'test/redirect/pages/in-a-browser',
  'test/web/codes/file',
  'test/admin/board',
  'test/webhooks/delivery',
  'test/queue/redis-refusals',
  'test/web/account',
  'test/web/docs',
  'test/telemetry',
  'test/http/connections',
  'test/hostile',
];

/** Tests whose titles end with this mark measure response times: they run with the fault tests, one at a time. */
const timedMark = '[timed]';
/** Suites whose titles end with this one start many processes of a whole service: they run with the fault tests, in parallel. */
const processesMark = '[processes]';
const patternOf = (...marks) => marks.map((mark) => mark.replaceAll(/[[\]]/g, '\\$&')).join('|');

await Promise.all([installMissingPackages(), ensureInstalled({ tools: true }).then(() => ensureBuilt())]);
const results = { passed: 0, skipped: 0 };
const failures = [];
const durations = [];
const costs = [];
const logs = [];
const tests = [];
const memory = openMemory('.');
/** The inputs of checks and test files, as they were when the run began. */
const digests = new Map();
const leftOut = [];
// `--faults`: only the tests that kill servers and processes under load, and those that measure time. `--upgrade`: only the
// rolling upgrade from the previous release, or from the commit that follows. Files: only those.
// Nothing: the rest, and checks; with `--all`, also what is unchanged since it passed.
const asked = process.argv.slice(2).filter((argument) => argument !== '--all');
const { CI, FUZZ_SEED, TEST_POSTGRES } = process.env;
const leavesOut = CI !== 'true' && !FUZZ_SEED && !TEST_POSTGRES && !process.argv.includes('--all');
/** The programs under way, of which some start others. */
const running = new Set();
/** After a signal nothing more is started, such as the next check. */
let isEnding = false;
const servers = await startServers();
endOnSignals();
if (!servers) report('the servers of the tests', 'They did not start: see above.');
else if (asked[0] === '--faults') {
  await runMocha(['--timeout', '180000', 'test/faults/*.fault.ts']);
  await runMarked(timedMark);
  await runMarked(processesMark, { inParallel: true });
} else if (asked[0] === '--upgrade')
  await runMocha(['test/upgrade/*.upgrade.ts'], asked[1] ? { UPGRADE_FROM: asked[1] } : {});
else if (asked.length > 0) await runMocha(asked);
else {
  const checked = runChecks();
  const files = testFiles().filter((file) => mustRun(file, () => inputsOf('.', file)));
  await runInParallel([...files, '--grep', patternOf(timedMark, processesMark), '--invert']);
  await checked;
}
const compiled = (await servers?.stop()) ?? [];
report('no statement was compiled by Postgres (jit)', compiled.join('\n') || undefined);
if (asked.length === 0 || ['--faults', '--upgrade'].includes(asked[0])) checkLogs();
if (asked.length === 0) {
  rememberPassed();
  printSlowest(20);
  printMostExpensive(20);
}

// At the end, where the last screen of a long output shows it.
for (const { title, error } of failures) console.log(`\n✘ ${title}\n${error.replace(/^/gm, '    ')}`);

if (leftOut.length > 0)
  console.log(
    `\nUnchanged since they passed, so they did not run; npm test -- --all runs them:\n${leftOut.join('\n').replace(/^/gm, '    ')}`,
  );

// A machine that is there to judge must be able to run everything.
const red = failures.length > 0 || (results.skipped > 0 && process.env.CI === 'true');
if (results.skipped > 0) {
  console.log(
    `\n${results.skipped} tests were skipped${process.env.CI === 'true' ? ', which CI=true does not allow' : ''}: see the reason above.`,
  );
}
console.log(
  `\n${results.passed} passed, ${failures.length} failed${results.skipped > 0 ? `, ${results.skipped} skipped` : ''}${leftOut.length > 0 ? `, ${leftOut.length} unchanged since they passed` : ''}`,
);
process.exitCode = red ? 1 : 0;

/** All of them, in the order in which mocha's workers take them. */
function testFiles() {
  const rank = (file) => {
    const at = longest.findIndex((beginning) => file.startsWith(beginning));
    return at < 0 ? longest.length : at;
  };
  return readdirSync('test', { recursive: true })
    .map((file) => join('test', file))
    .filter((file) => file.endsWith('.test.ts'))
    .toSorted((a, b) => rank(a) - rank(b) || (a < b ? -1 : 1));
}

/** One after the other, beside the tests, which have deadlines and go first. */
async function runChecks() {
  // Everything in the checkout is an input.
  if (!mustRun(allChecks, () => filesIn('.', ['.']))) return;
  for (const [name, command] of Object.entries(checks)) {
    const { code, output } = await run(command, { output: 'kept', niceness: 10 });
    report(name, code === 0 ? undefined : output, { isCheck: true });
  }
}

/** False for a test file or check that has passed with the same inputs. One that declares none always runs. */
function mustRun(name, readInputs) {
  const inputs = readInputs();
  if (!inputs) return true;
  const digest = digestOf('.', inputs);
  digests.set(name, { digest, readInputs });
  if (!leavesOut || !memory.hasPassed(name, digest)) return true;
  leftOut.push(name);
  return false;
}

/** Nothing that has failed, nor whose inputs have changed during the run. */
function rememberPassed() {
  const passed = filesToRemember(tests, failures);
  if (!failures.some(({ isCheck }) => isCheck)) passed.push(allChecks);
  memory.remember(
    passed.flatMap((name) => {
      const { digest, readInputs } = digests.get(name) ?? {};
      return digest !== undefined && digestOf('.', readInputs()) === digest ? [[name, digest]] : [];
    }),
  );
}

/** One Postgres and one Redis for all runs of mocha, which find them in the environment. */
async function startServers() {
  // With the faults and the upgrade, the embedded Postgres, so that both versions are tested.
  const isEmbedded = ['--faults', '--upgrade'].includes(asked[0]);
  const child = spawn(process.execPath, ['--import', 'tsx', 'test/support/servers-main.ts'], {
    stdio: ['pipe', 'pipe', 'inherit'],
    env: { ...(isEmbedded && { TEST_POSTGRES: 'embedded' }), ...process.env },
  });
  const closed = once(child, 'close');
  const lines = createInterface(child.stdout);
  const line = () => Promise.race([once(lines, 'line').then(([text]) => text), closed.then(() => undefined)]);
  const started = await line();
  return (
    started && {
      started,
      /** Resolves to the statements that Postgres has compiled. */
      async stop() {
        const last = line();
        child.stdin.end();
        await closed;
        return JSON.parse((await last) ?? '[]');
      },
    }
  );
}

/** Ends everything that was started. The tests have nothing to clean up in servers that end as well. */
function endOnSignals() {
  for (const [signal, code] of [
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ])
    process.once(signal, () => {
      isEnding = true;
      for (const pid of startedBy([...running])) tryToKill(pid);
      void Promise.resolve(servers?.stop()).finally(() => process.exit(code));
    });
  shutDownWithNpm();
}

/** With all descendants, and those whose parent has ended: they have the variables of a run. */
function startedBy(pids) {
  const parents = new Map(
    readdirSync('/proc')
      .filter((name) => Number(name) > 0)
      .map((name) => {
        const stat = readProc(name, 'stat');
        const parent = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
        const isOurs = readProc(name, 'environ').includes(`TEST_RUN=${process.pid}\0`);
        return [Number(name), isOurs ? pids[0] : parent];
      }),
  );
  const found = new Set(pids);
  for (let size = 0; size !== found.size; ) {
    size = found.size;
    for (const [pid, parent] of parents) if (found.has(parent)) found.add(pid);
  }
  return found;
}

function tryToKill(pid) {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended meanwhile.
  }
}

async function runMarked(mark, { inParallel = false } = {}) {
  const files = testFiles().filter((file) => readFileSync(file, 'utf8').includes(`${mark}'`));
  await (inParallel ? runInParallel : runMocha)([...files, '--grep', patternOf(mark)]);
}

function runInParallel(args) {
  return runMocha(['--parallel', '--jobs', String(workers), ...args], { TEST_WORKERS: String(workers) });
}

async function runMocha(args, settings = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'qrelay-test-'));
  const counts = join(folder, 'counts.json');
  const log = join(folder, 'log');
  const costsFile = join(folder, 'costs');
  const env = {
    TEST_COUNTS_FILE: counts,
    TEST_COSTS_FILE: costsFile,
    TEST_LOG_FILE: log,
    TEST_SERVERS: servers.started,
    TEST_LEAVES_OUT: String(leavesOut),
    ...settings,
  };
  const { code } = await run(['mocha', ...args], { output: 'shown', env });
  const title = `mocha ${args.join(' ')}`.slice(0, 200);
  try {
    const {
      passes,
      failed,
      pending,
      durations: taken,
      tests: ended,
    } = JSON.parse(readFileSync(counts, 'utf8'));
    results.passed += passes;
    results.skipped += pending;
    failures.push(...failed);
    durations.push(...taken);
    tests.push(...ended);
    if (failed.length === 0 && code !== 0) report(title, `It ended with exit code ${code}.`);
  } catch {
    report(title, 'The tests did not come to their end.');
  }
  logs.push(...(existsSync(log) ? readFileSync(log, 'utf8').split('\n').filter(isLogLine) : []));
  if (existsSync(costsFile))
    costs.push(
      ...readFileSync(costsFile, 'utf8')
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line)),
    );
  rmSync(folder, { recursive: true });
}

/** Everything that was logged while the tests ran. Without a line to look at, the check would say nothing. */
function checkLogs() {
  const bad = logs.filter((line) => secretsIn(line).length > 0);
  const shown = bad.slice(0, 10).map((line) => `${secretsIn(line).join(', ')}: ${line.slice(0, 500)}`);
  const error = logs.length === 0 ? 'Nothing was logged.' : shown.join('\n');
  report(
    `no key, cookie, password, e-mail, client address or query string in the logs of this run: ${logs.length} lines, ${bad.length} with something in them`,
    error || undefined,
  );
}

/** Hooks are among them: they start the services. */
function printSlowest(count) {
  const slowest = durations.toSorted((a, b) => b.ms - a.ms).slice(0, count);
  console.log(`\nThe ${slowest.length} slowest tests:`);
  for (const { title, ms } of slowest) console.log(`${(ms / 1000).toFixed(1).padStart(6)} s  ${title}`);
}

/**
 * Files by processor time: on a machine that is busy with tests, how long one takes says little. With the processes and the
 * browser that they start, without PostgreSQL and Redis.
 */
function printMostExpensive(count) {
  const sum = costs.reduce((total, { seconds }) => total + seconds, 0);
  const shown = costs.toSorted((a, b) => b.seconds - a.seconds).slice(0, count);
  console.log(`\nThe ${shown.length} files with most processor time, of ${sum.toFixed(0)} s in all:`);
  for (const { file, seconds } of shown)
    console.log(`${seconds.toFixed(1).padStart(6)} s  ${relative('.', file)}`);
}

/** Errors are told at the end, all of them together. */
function report(title, error, { isCheck = false } = {}) {
  console.log(`${error === undefined ? '✔' : '✘'} ${title}`);
  if (error === undefined) results.passed += 1;
  else failures.push({ title, error, isCheck });
}

async function run([program, ...args], { output, env = {}, niceness = 0 }) {
  // The process exits when the servers have stopped.
  if (isEnding) return new Promise(() => undefined);
  const child = spawn(join('node_modules', '.bin', program), args, {
    stdio: output === 'kept' ? ['ignore', 'pipe', 'pipe'] : 'inherit',
    env: { ...process.env, TEST_RUN: String(process.pid), ...env },
    shell: process.platform === 'win32',
  });
  running.add(child.pid);
  if (niceness > 0 && child.pid) setPriority(child.pid, niceness);
  const printed = [];
  child.stdout?.on('data', (chunk) => printed.push(chunk));
  child.stderr?.on('data', (chunk) => printed.push(chunk));
  const [code] = await once(child, 'close');
  running.delete(child.pid);
  return { code, output: Buffer.concat(printed).toString() };
}
