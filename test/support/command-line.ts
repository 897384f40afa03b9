import { runCommandLine } from '../../src/cli/program.ts';
import { type Outcome, type Settings, unsetSettings } from './programs.ts';

let last: Promise<unknown> = Promise.resolve();

/**
 * What `qrelay …` does, without the start of a process, which takes longer than most commands. One after the other: the
 * environment and the output are those of the whole process. That the program itself does the same is shown by
 * test/cli/end-of-process.test.ts, test/cli/doctor.test.ts and test/processes, which start it.
 */
export function runQrelayHere(args: string[], settings: Settings): Promise<Outcome> {
  const outcome = last.then(() => run(args, settings));
  last = outcome.catch(() => undefined);
  return outcome;
}

async function run(args: string[], settings: Settings): Promise<Outcome> {
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
    outcome.code = await runCommandLine(args, 'test');
  } finally {
    process.env = env;
    process.exitCode = exitCode;
    for (const giveBack of restore) giveBack();
  }
  return outcome;
}
