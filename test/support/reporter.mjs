import { writeFileSync } from 'node:fs';
import mocha from 'mocha';

/** Mocha's own list of tests, and in a file for the runner: the counts to add up, how long each took, and what failed. */
export default class CountingReporter extends mocha.reporters.Spec {
  constructor(runner, options) {
    super(runner, options);
    const failed = [];
    const durations = [];
    const tests = [];
    const addDuration = (runnable) => {
      if (runnable.duration) durations.push({ title: runnable.fullTitle(), ms: runnable.duration });
    };
    runner.on('test end', addDuration);
    // A hook may start a service or a browser.
    runner.on('hook end', addDuration);
    runner.on('pass', ({ file }) => tests.push({ file }));
    runner.on('pending', ({ file }) => tests.push({ file, isSkipped: true }));
    runner.on('fail', (test, error) =>
      failed.push({ title: test.fullTitle(), error: errorText(error), file: test.file }),
    );
    runner.once('end', () => {
      const { passes, pending } = this.stats;
      const file = process.env.TEST_COUNTS_FILE;
      if (file) writeFileSync(file, JSON.stringify({ passes, pending, failed, durations, tests }));
    });
  }
}

/** From a parallel worker an error comes as a plain object. */
function errorText(error) {
  const { stack, message } = error ?? {};
  return stack || message || String(error);
}
