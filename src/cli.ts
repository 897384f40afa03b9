import { runCommandLine } from './cli/program.ts';
import { printMessage } from './cli/output.ts';
import { readConfig } from './config.ts';
import { currentRelease, releaseName } from './runtime/release.ts';

// Errors in the environment are left to the commands: `--version` works without it.
const { config } = readConfig(process.env);
const version = releaseName(currentRelease(config));

// One line instead of Node's several.
process.removeAllListeners('warning');
process.on('warning', ({ message }) => printMessage(`Warning: ${message.split('\n')[0]}`));

// Not process.exit(), which would cut off output that is still being written.
process.exitCode = await runCommandLine(process.argv.slice(2), version);
