// The whole of `npm test`, in plain JavaScript because it runs before anything is installed. Installs, builds, then runs
// every check and every test, and ends with one line that counts them.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensureBuilt, ensureInstalled } from '../src/launch.mjs';

const checks = {
  format: ['biome', 'format', '.'],
  lint: ['oxlint', '--type-aware'],
  'types of the service': ['tsc', '--noEmit'],
  'types of the tests': ['tsc', '-p', 'test/tsconfig.json'],
  'unused code': ['knip'],
};

await ensureInstalled();
await ensureBuilt();
// `--faults`: only the tests that kill servers and processes under load. Files: only those. Nothing: the rest, and checks.
const asked = process.argv.slice(2);
const results = { passed: 0, failed: 0, skipped: 0 };
if (asked.length === 0) for (const [name, command] of Object.entries(checks)) check(name, command);
runMocha(asked[0] === '--faults' ? ['--timeout', '180000', 'test/faults/*.fault.ts'] : asked);

// A machine that is there to judge must be able to run everything.
const red = results.failed > 0 || (results.skipped > 0 && process.env.CI === 'true');
if (results.skipped > 0) {
  console.log(
    `\n${results.skipped} tests were skipped${process.env.CI === 'true' ? ', which CI=true does not allow' : ''}: see the reason above.`,
  );
}
console.log(
  `\n${results.passed} passed, ${results.failed} failed${results.skipped > 0 ? `, ${results.skipped} skipped` : ''}`,
);
process.exitCode = red ? 1 : 0;

function check(name, command) {
  const { status, stdout, stderr } = npx(command, { encoding: 'utf8' });
  console.log(`${status === 0 ? '✔' : '✘'} ${name}`);
  if (status !== 0) console.log(stdout, stderr);
  results[status === 0 ? 'passed' : 'failed'] += 1;
}

function runMocha(files) {
  const folder = mkdtempSync(join(tmpdir(), 'qrelay-test-'));
  const counts = join(folder, 'counts.json');
  const specs = files.length > 0 ? files : ['test/**/*.test.ts'];
  const { status } = npx(['mocha', ...specs], {
    stdio: 'inherit',
    env: { ...process.env, TEST_COUNTS_FILE: counts },
  });
  try {
    const { passes, failures, pending } = JSON.parse(readFileSync(counts, 'utf8'));
    results.passed += passes;
    results.failed += failures;
    results.skipped += pending;
    if (failures === 0 && status !== 0) results.failed += 1;
  } catch {
    console.log('The tests did not come to their end.');
    results.failed += 1;
  }
  rmSync(folder, { recursive: true });
}

function npx([program, ...args], options) {
  const bin = join('node_modules', '.bin', program);
  return spawnSync(bin, args, { ...options, shell: process.platform === 'win32' });
}
