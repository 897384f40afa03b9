import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { unsetSettings } from '../support/programs.ts';

const dataUrl = (script: string) => `data:text/javascript,${encodeURIComponent(script)}`;

/** Writes the URL of each imported module to standard error. */
const hooks = dataUrl(`
  import { writeSync } from 'node:fs';
  export async function resolve(specifier, context, next) {
    const resolved = await next(specifier, context);
    writeSync(2, resolved.url + '\\n');
    return resolved;
  }
`);
const preload = dataUrl(`import { register } from 'node:module'; register(${JSON.stringify(hooks)});`);

async function packagesLoadedBy(...args: string[]): Promise<string[]> {
  const { stderr } = await promisify(execFile)(
    process.execPath,
    ['--import', preload, 'dist/src/cli.js', ...args],
    { env: { ...process.env, ...unsetSettings } },
  );
  expect(stderr).to.contain('/dist/src/cli/program.js');
  const names = [...stderr.matchAll(/node_modules\/((?:@[^/]+\/)?[^/\s]+)/g)].map(([, name = '']) => name);
  return [...new Set(names)];
}

// Loading all packages takes several times as long as most commands.
describe('The start of qrelay', () => {
  it('loads nothing but the command line parser for --version', async () => {
    expect(await packagesLoadedBy('--version')).to.deep.equal(['commander']);
  });

  it('loads only what the command needs', async () => {
    const loaded = await packagesLoadedBy('key', 'list', '--help');
    expect(loaded).to.include('knex');
    for (const other of ['bullmq', 'typebox', 'cli-progress']) expect(loaded).to.not.include(other);
  });
});
