// The whole of `npm test`, in plain JavaScript because it runs before anything is installed. Installs, builds, then runs
// every check and every test, and ends with one line that counts them.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensureBuilt, ensureInstalled } from '../src/launch.mjs';
import { isLogLine, secretsIn } from './log-check.mjs';

const checks = {
  format: ['biome', 'format', '.'],
  lint: ['oxlint', '--type-aware'],
  'types of the service': ['tsc', '--noEmit'],
  'types of the tests': ['tsc', '-p', 'test/tsconfig.json'],
  'unused code': ['knip'],
};

/** Half of the time goes into these, much of it into waiting for processes and for a browser: they are run beside the others. */
const slowTests = [
  'test/processes/*.test.ts',
  'test/cli/*.test.ts',
  'test/web/{account,codes,docs,front,keys,sign-in,ui}/*.test.ts',
  'test/web/assets.test.ts',
];

/** These hold answers against the clock, and would measure the other tests if those ran beside them. */
const timedTests = [
  'test/http/connections.test.ts',
  'test/telemetry/health.test.ts',
  'test/hostile/parsers.test.ts',
];
/** The same for single tests: their titles end with this mark. */
const timedMark = '\\[timed\\]$';
const untimed = ['--grep', timedMark, '--invert'];

await ensureInstalled();
await ensureBuilt();
const results = { passed: 0, skipped: 0 };
const failures = [];
const logs = [];
// `--faults`: only the tests that kill servers and processes under load. Files: only those. Nothing: the rest, and checks.
const asked = process.argv.slice(2);
if (asked[0] === '--faults') await runMocha(['--timeout', '180000', 'test/faults/*.fault.ts']);
else if (asked.length > 0) await runMocha(asked);
else {
  for (const [name, command] of Object.entries(checks)) await check(name, command);
  const slow = runMocha([...slowTests, ...untimed], 'kept');
  const others = [...slowTests, ...timedTests].flatMap((files) => ['--ignore', files]);
  await runMocha(['test/**/*.test.ts', ...others, ...untimed]);
  console.log(await slow);
  await runMocha(timedTests);
  await runMocha([...slowTests, '--grep', timedMark]);
}
if (asked.length === 0 || asked[0] === '--faults') checkLogs();

// At the end, where the last screen of a long output shows it.
for (const { title, error } of failures) console.log(`\n✘ ${title}\n${error.replace(/^/gm, '    ')}`);

// A machine that is there to judge must be able to run everything.
const red = failures.length > 0 || (results.skipped > 0 && process.env.CI === 'true');
if (results.skipped > 0) {
  console.log(
    `\n${results.skipped} tests were skipped${process.env.CI === 'true' ? ', which CI=true does not allow' : ''}: see the reason above.`,
  );
}
console.log(
  `\n${results.passed} passed, ${failures.length} failed${results.skipped > 0 ? `, ${results.skipped} skipped` : ''}`,
);
process.exitCode = red ? 1 : 0;

async function check(name, command) {
  const { code, output } = await npx(command, 'kept');
  report(name, code === 0 ? undefined : output);
}

/** Gives what it printed, where that is kept instead of shown. */
async function runMocha(args, output = 'shown') {
  const folder = mkdtempSync(join(tmpdir(), 'qrelay-test-'));
  const counts = join(folder, 'counts.json');
  const log = join(folder, 'log');
  const env = { TEST_COUNTS_FILE: counts, TEST_LOG_FILE: log };
  const { code, output: printed } = await npx(['mocha', ...args], output, env);
  try {
    const { passes, failed, pending } = JSON.parse(readFileSync(counts, 'utf8'));
    results.passed += passes;
    results.skipped += pending;
    failures.push(...failed);
    if (failed.length === 0 && code !== 0)
      report(`mocha ${args.join(' ')}`, `It ended with exit code ${code}.`);
  } catch {
    report(`mocha ${args.join(' ')}`, 'The tests did not come to their end.');
  }
  logs.push(...(existsSync(log) ? readFileSync(log, 'utf8').split('\n').filter(isLogLine) : []));
  rmSync(folder, { recursive: true });
  return printed;
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

/** Errors are told at the end, all of them together. */
function report(title, error) {
  console.log(`${error === undefined ? '✔' : '✘'} ${title}`);
  if (error === undefined) results.passed += 1;
  else failures.push({ title, error });
}

async function npx([program, ...args], output, env = {}) {
  const bin = join('node_modules', '.bin', program);
  const child = spawn(bin, args, {
    stdio: output === 'kept' ? ['ignore', 'pipe', 'pipe'] : 'inherit',
    env: { ...process.env, ...env },
    shell: process.platform === 'win32',
  });
  const printed = [];
  child.stdout?.on('data', (chunk) => printed.push(chunk));
  child.stderr?.on('data', (chunk) => printed.push(chunk));
  const [code] = await once(child, 'close');
  return { code, output: Buffer.concat(printed).toString() };
}
