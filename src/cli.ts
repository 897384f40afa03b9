import { createRequire } from 'node:module';
import { runCommandLine } from './cli/program.ts';
import { printMessage } from './cli/output.ts';

// Relative to the built file in dist/src.
const { version } = createRequire(import.meta.url)('../../package.json') as { version: string };

// One line instead of Node's several.
process.removeAllListeners('warning');
process.on('warning', ({ message }) => printMessage(`Warning: ${message.split('\n')[0]}`));

// Not process.exit(), which would cut off output that is still being written.
process.exitCode = await runCommandLine(process.argv.slice(2), version);
