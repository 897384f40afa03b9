import { createRequire } from 'node:module';
import { runCommandLine } from './cli/program.ts';

// From where the build is: dist/src.
const { version } = createRequire(import.meta.url)('../../package.json') as { version: string };

// Not an end at once: what is still being written would be cut off.
process.exitCode = await runCommandLine(process.argv.slice(2), version);
