import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import type { Language } from '../../../src/web/docs/examples.ts';
import { findProgram } from '../../support/find-program.ts';

export interface Example {
  code: string;
  /** Environment variables for this and the following examples. */
  env: Record<string, string>;
}

interface Interpreter {
  programs: string[];
  args: string[];
}

/**
 * Programs that run a list of examples, one after the other, as if each was a file of its own, and return what each has
 * printed: starting an interpreter for each would take most of the time.
 */
const interpreters: Record<Language['id'], Interpreter> = {
  curl: { programs: ['bash'], args: ['-s'] },
  javascript: {
    programs: ['node'],
    args: [
      '--input-type=module',
      '-e',
      `import { format } from 'node:util';
       import { json } from 'node:stream/consumers';
       const printed = [];
       for (const { code, env } of await json(process.stdin)) {
         Object.assign(process.env, env);
         const lines = [];
         console.log = (...values) => lines.push(format(...values));
         await import('data:text/javascript,' + encodeURIComponent(code)).catch((error) => lines.push(String(error)));
         printed.push(lines.join('\\n'));
       }
       process.stdout.write(JSON.stringify(printed));`,
    ],
  },
  python: {
    programs: ['python3'],
    args: [
      '-c',
      `import contextlib, io, json, os, sys, traceback
printed = []
for example in json.load(sys.stdin):
    os.environ.update(example["env"])
    lines = io.StringIO()
    with contextlib.redirect_stdout(lines):
        try:
            exec(compile(example["code"], "example.py", "exec"), {"__name__": "__main__"})
        except Exception as error:
            print(error, getattr(error, "read", str)())
    printed.append(lines.getvalue())
json.dump(printed, sys.stdout)`,
    ],
  },
  php: {
    programs: ['php'],
    args: [
      '-d',
      'display_errors=stdout',
      '-r',
      `foreach (json_decode(stream_get_contents(STDIN), true) as $example) {
         foreach ($example['env'] as $name => $value) putenv("$name=$value");
         ob_start();
         try { (function ($code) { eval('?>' . $code); })($example['code']); }
         catch (Throwable $error) { echo $error->getMessage(); }
         $printed[] = ob_get_clean();
       }
       echo json_encode($printed, JSON_INVALID_UTF8_SUBSTITUTE);`,
    ],
  },
};

/** Whether this machine has the interpreter, with what the examples use of it. */
export async function canRun(language: Language['id']): Promise<boolean> {
  if (!findProgram(...interpreters[language].programs)) return false;
  if (language === 'curl') return findProgram('curl') !== undefined;
  return language !== 'php' || /^curl$/m.test(await run('php', ['-m'], ''));
}

/** What each example has printed. Files are read and written in `folder`. */
export async function runExamples(
  language: Language['id'],
  examples: Example[],
  folder: string,
): Promise<string[]> {
  const { programs, args } = interpreters[language];
  const program = findProgram(...programs);
  if (!program) throw new Error(`${programs.join(' or ')} is not on the PATH`);
  if (language !== 'curl')
    return JSON.parse(await run(program, args, JSON.stringify(examples), folder)) as string[];
  const printed = await run(program, args, examples.map(shellScript).join('\n'), folder);
  return printed.split(separator).slice(0, -1);
}

const separator = '\n---- next example ----\n';

/** With the status at the end, which curl does not print. */
function shellScript({ code, env }: Example): string {
  const settings = Object.entries(env).map(([name, value]) => `export ${name}='${value}'`);
  return [
    'curl() { command curl --silent --show-error --write-out "%{http_code}" "$@" 2>&1; }',
    ...settings,
    code,
    `printf '%s' '${separator}'`,
  ].join('\n');
}

async function run(program: string, args: string[], input: string, cwd?: string): Promise<string> {
  const child = spawn(program, args, { cwd, stdio: ['pipe', 'pipe', 'pipe'] });
  child.stdin.end(input);
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
  if (stdout === '' && stderr !== '') throw new Error(stderr);
  return stdout;
}
