import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect } from 'chai';

interface Ended {
  file: string | undefined;
  isSkipped?: boolean;
}

const { digestOf, filesToRemember, inputsOf, openMemory } = (await import(
  new URL('unchanged.mjs', import.meta.url).href
)) as {
  digestOf(root: string, inputs: string[]): string;
  filesToRemember(tests: Ended[], failures: { file?: string; isCheck?: boolean }[]): string[];
  inputsOf(root: string, file: string): string[] | undefined;
  openMemory(root: string): {
    hasPassed(name: string, digest: string): boolean;
    remember(passed: [name: string, digest: string][]): void;
  };
};

describe('What is unchanged since it passed', () => {
  let root: string;
  before(async () => {
    root = await mkdtemp(join(tmpdir(), 'qrelay-unchanged-'));
    await write('package-lock.json', '{}');
    await write('src/rules/one.ts', '1');
    await write('src/other.ts', 'other');
    await write('src/imported.ts', 'imported');
    await write('test/helper.ts', "import { x } from '../src/imported.ts';");
    await write('test/drawn.test.ts', "// Inputs: src/rules\nimport { h } from './helper.ts';");
    await write('test/plain.test.ts', "import { h } from './helper.ts';");
  });
  after(() => rm(root, { recursive: true, force: true }));

  async function write(path: string, content: string): Promise<void> {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), content);
  }
  const digest = () => digestOf(root, inputsOf(root, 'test/drawn.test.ts') ?? []);

  it('has the inputs that a test file declares, its helpers, and what they import', () => {
    expect(inputsOf(root, 'test/drawn.test.ts')).to.have.members([
      'test/drawn.test.ts',
      'test/helper.ts',
      'src/imported.ts',
      'src/rules/one.ts',
    ]);
  });

  it('is never a test file that declares no inputs', () => {
    expect(inputsOf(root, 'test/plain.test.ts')).to.equal(undefined);
  });

  it('does not depend on other files', async () => {
    const before = digest();
    await write('src/other.ts', 'changed');
    await write('src/rules/node_modules/x.js', 'installed');
    expect(digest()).to.equal(before);
  });

  for (const path of [
    'src/rules/one.ts',
    'src/rules/new/two.ts',
    'test/helper.ts',
    'src/imported.ts',
    'test/drawn.test.ts',
    'package-lock.json',
  ])
    it(`has other inputs when ${path} changes`, async () => {
      const before = digest();
      await write(
        path,
        "// Inputs: src/rules\nimport { h } from './helper.ts'; import '../src/imported.ts';",
      );
      expect(digest()).to.not.equal(before);
    });

  it('has inputs that exist', async () => {
    await write('test/stale.test.ts', '// Inputs: src/rules, src/moved');
    expect(() => inputsOf(root, 'test/stale.test.ts')).to.throw('src/moved');
  });

  it('is remembered by its inputs, also by a later run', () => {
    const memory = openMemory(root);
    expect(memory.hasPassed('test/drawn.test.ts', 'a')).to.equal(false);
    memory.remember([['test/drawn.test.ts', 'a']]);
    openMemory(root).remember([['checks', 'b']]);
    expect(openMemory(root).hasPassed('test/drawn.test.ts', 'a')).to.equal(true);
    expect(openMemory(root).hasPassed('test/drawn.test.ts', 'b')).to.equal(false);
  });

  it('is forgotten with a file that cannot be read', async () => {
    await write('node_modules/.cache/qrelay-tests.json', '{"test/drawn.t');
    expect(openMemory(root).hasPassed('test/drawn.test.ts', 'a')).to.equal(false);
  });

  it('is no file of which a test or a hook has failed, or a test was skipped', () => {
    const tests = [
      { file: 'a' },
      { file: 'b' },
      { file: 'b' },
      { file: 'c' },
      { file: 'c', isSkipped: true },
    ];
    expect(filesToRemember(tests, [])).to.deep.equal(['a', 'b']);
    expect(filesToRemember(tests, [{ file: 'b' }])).to.deep.equal(['a']);
    expect(filesToRemember(tests, [{ isCheck: true }])).to.deep.equal(['a', 'b']);
  });

  it('is nothing when something failed that belongs to no file', () => {
    expect(filesToRemember([{ file: 'a' }], [{}])).to.deep.equal([]);
  });
});
