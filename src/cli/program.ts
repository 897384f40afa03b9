import { Command, CommanderError, type OutputConfiguration } from 'commander';
import { failureMessage, printMessage } from './output.ts';

/** Exit codes: 0 success, 1 failure, 2 wrong usage. */
const failureCode = 1;
const usageErrorCode = 2;

/**
 * Each is loaded when it is used, because loading them all takes several times as long as most commands do. In the order
 * of the help.
 */
const commands: Record<string, () => Promise<Command>> = {
  key: async () => (await import('./accounts.ts')).keyCommand(),
  user: async () => (await import('./accounts.ts')).userCommand(),
  workspace: async () => (await import('./workspaces.ts')).workspaceCommand(),
  counters: async () => (await import('./scans.ts')).countersCommand(),
  scans: async () => (await import('./scans.ts')).scansCommand(),
  queue: async () => (await import('./queue.ts')).queueCommand(),
  block: async () => (await import('./blocks.ts')).blockCommand(),
  unblock: async () => (await import('./blocks.ts')).unblockCommand(),
  blocks: async () => (await import('./blocks.ts')).blocksCommand(),
  secret: async () => (await import('./secret.ts')).secretCommand(),
  mail: async () => (await import('./mail.ts')).mailCommand(),
  backup: async () => (await import('./doctor.ts')).backupCommand(),
  demo: async () => (await import('./demo.ts')).demoCommand(),
  doctor: async () => (await import('./doctor.ts')).doctorCommand(),
  routes: async () => (await import('./routes.ts')).routesCommand(),
  migrate: async () => (await import('./migrate.ts')).migrateCommand(),
};

/** Runs a command and returns the exit code. `output` receives help and usage errors. */
export async function runCommandLine(
  args: string[],
  version: string,
  output: OutputConfiguration = {},
): Promise<number> {
  const program = await createProgram(args[0], version);
  configure(program, output);
  try {
    await program.parseAsync(args, { from: 'user' });
    // Some commands set it themselves, such as doctor and counters verify.
    return Number(process.exitCode ?? 0);
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : usageErrorCode;
    printMessage(await failureMessage(error));
    return failureCode;
  }
}

async function createProgram(first: string | undefined, version: string): Promise<Command> {
  const program = new Command('qrelay')
    .description('Manage Qrelay. Uses DATABASE_URL, or the embedded database that is running in DATA_DIR.')
    .version(version, '--version', 'print the version');
  for (const name of commandsFor(first)) program.addCommand(await commands[name]!());
  return program;
}

/** Help and suggestions for a mistyped command need all of them. */
function commandsFor(first = ''): string[] {
  if (first === '--version') return [];
  return Object.hasOwn(commands, first) ? [first] : Object.keys(commands);
}

/** Makes commander throw instead of exiting by itself. */
function configure(command: Command, output: OutputConfiguration): void {
  command.exitOverride().configureOutput(output).showHelpAfterError('(use --help for usage)');
  for (const subcommand of command.commands) configure(subcommand, output);
}
