import { writeFileSync } from 'node:fs';
import mocha from 'mocha';

/** Mocha's own list of tests, and the counts in a file for the runner to add up. */
export default class CountingReporter extends mocha.reporters.Spec {
  constructor(runner, options) {
    super(runner, options);
    runner.once('end', () => {
      const { passes, failures, pending } = this.stats;
      const file = process.env.TEST_COUNTS_FILE;
      if (file) writeFileSync(file, JSON.stringify({ passes, failures, pending }));
    });
  }
}
