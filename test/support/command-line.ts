import type { runCommandLine } from '../../src/cli/program.ts';
import type { queueCommand } from '../../src/cli/queue.ts';
import type { QueueDefinition } from '../../src/queue/queue-definition.ts';
import { type Outcome, type Settings, unsetSettings } from './programs.ts';

let last: Promise<unknown> = Promise.resolve();

/**
 * From the build: the commands are imported when they are used, and from the sources they would be second copies of modules
 * that mocha has loaded with `require`.
 */
export async function loadCommandLine(): Promise<typeof runCommandLine> {
  const { href } = new URL('../../dist/src/cli/program.js', import.meta.url);
  return ((await import(href)) as { runCommandLine: typeof runCommandLine }).runCommandLine;
}

/**
 * What `qrelay …` does, without the start of a process, which takes longer than most commands. One after the other: the
 * environment and the output are those of the whole process. That the program itself does the same is shown by
 * test/cli/end-of-process.test.ts, test/cli/doctor.test.ts and test/processes, which start it.
 */
export function runQrelayHere(args: string[], settings: Settings): Promise<Outcome> {
  return runHere(async () => (await loadCommandLine())(args, 'test'), settings);
}

/** What `qrelay queue …` does with other queues than those of the service. */
export async function runQueueCommandHere(
  command: string,
  queues: QueueDefinition[],
  settings: Settings,
): Promise<Outcome> {
  const { href } = new URL('../../dist/src/cli/queue.js', import.meta.url);
  const { queueCommand: makeCommand } = (await import(href)) as { queueCommand: typeof queueCommand };
  return runHere(async () => {
    await makeCommand(queues).parseAsync([command], { from: 'user' });
    return 0;
  }, settings);
}

function runHere(work: () => Promise<number | null>, settings: Settings): Promise<Outcome> {
  const outcome = last.then(() => capture(work, settings));
  last = outcome.catch(() => undefined);
  return outcome;
}

/** Runs what a command does with these settings as its environment, and returns what it prints. */
async function capture(work: () => Promise<number | null>, settings: Settings): Promise<Outcome> {
  const { env, exitCode } = process;
  const outcome: Outcome = { code: null, stdout: '', stderr: '' };
  const restore = (['stdout', 'stderr'] as const).map((name) => {
    const stream = process[name];
    const { write } = stream;
    stream.write = (text: string | Uint8Array) => {
      outcome[name] += String(text);
      return true;
    };
    return () => {
      stream.write = write;
    };
  });
  process.env = { ...env, ...unsetSettings, ...settings };
  process.exitCode = undefined;
  try {
    outcome.code = await work();
  } finally {
    process.env = env;
    process.exitCode = exitCode;
    for (const giveBack of restore) giveBack();
  }
  return outcome;
}
