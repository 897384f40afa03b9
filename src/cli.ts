import { createRequire } from 'node:module';
import { runCommandLine } from './cli/program.ts';
import { say } from './cli/say.ts';

// From where the build is: dist/src.
const { version } = createRequire(import.meta.url)('../../package.json') as { version: string };

// In a line, as all that is said to people: Node's own words for a warning are several.
process.removeAllListeners('warning');
process.on('warning', ({ message }) => say(`Warning: ${message.split('\n')[0]}`));

// Not an end at once: what is still being written would be cut off.
process.exitCode = await runCommandLine(process.argv.slice(2), version);
