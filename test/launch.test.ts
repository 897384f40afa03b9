import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { eventually } from './support/eventually.ts';
import { findProgram } from './support/find-program.ts';

const project = fileURLToPath(new URL('../', import.meta.url));
const launcher = new URL('../src/launch.mjs', import.meta.url).href;
const { isInstalled, isBuilt, ensureBuilt } = (await import(launcher)) as {
  isInstalled(options: { root: string; tools?: boolean }): boolean;
  isBuilt(root: string): boolean;
  ensureBuilt(root: string): Promise<void>;
};

describe('launch.mjs', () => {
  let root: string;
  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), 'qrelay-launch-'));
  });
  afterEach(() => rm(root, { recursive: true, force: true }));

  async function write(path: string, content: unknown): Promise<void> {
    await mkdir(join(root, path, '..'), { recursive: true });
    await writeFile(join(root, path), typeof content === 'string' ? content : JSON.stringify(content));
  }

  describe('isInstalled', () => {
    const here = { os: [process.platform], cpu: [process.arch] };

    /** The lockfile, and npm's list of what is installed. */
    async function lay(wanted: object, installed: object, folders = Object.keys(installed)): Promise<void> {
      await write('package-lock.json', { packages: { '': {}, ...wanted } });
      await write('node_modules/.package-lock.json', { packages: installed });
      for (const folder of folders) await write(join(folder, 'package.json'), {});
    }

    it('is false on a fresh clone', async () => {
      await write('package-lock.json', { packages: {} });
      expect(isInstalled({ root, tools: true })).to.equal(false);
    });

    it('is true with every package in its locked version', async () => {
      const packages = {
        'node_modules/koa': { version: '3.0.0' },
        'node_modules/tsx': { version: '4.0.0', dev: true },
      };
      await lay(packages, packages);
      expect(isInstalled({ root, tools: true })).to.equal(true);
    });

    it('is true without the tools of development, unless they are needed', async () => {
      const koa = { 'node_modules/koa': { version: '3.0.0' } };
      await lay({ ...koa, 'node_modules/tsx': { version: '4.0.0', dev: true } }, koa);
      expect(isInstalled({ root })).to.equal(true);
      expect(isInstalled({ root, tools: true })).to.equal(false);
    });

    it('is false with a package in another version, missing, or with its folder deleted', async () => {
      const koa = { 'node_modules/koa': { version: '3.0.0' } };
      await lay(koa, { 'node_modules/koa': { version: '2.0.0' } });
      expect(isInstalled({ root, tools: true })).to.equal(false);
      await lay(koa, {});
      expect(isInstalled({ root, tools: true })).to.equal(false);
      await rm(join(root, 'node_modules'), { recursive: true });
      await lay(koa, koa, []);
      expect(isInstalled({ root, tools: true })).to.equal(false);
    });

    it('does not require packages of other platforms, but those of this one', async () => {
      const other = {
        'node_modules/other': { version: '1.0.0', optional: true, os: ['plan9'], cpu: ['pdp11'] },
      };
      await lay(other, {});
      expect(isInstalled({ root, tools: true })).to.equal(true);
      await lay(
        { 'node_modules/ours': { version: '1.0.0', optional: true, integrity: 'sha512-x', ...here } },
        {},
      );
      expect(isInstalled({ root, tools: true })).to.equal(false);
    });
  });

  describe('isBuilt and ensureBuilt', () => {
    beforeEach(async () => {
      for (const folder of ['src', 'workers', 'migrations']) {
        await write(join(folder, 'one.ts'), 'export const one: number = 1;\n');
      }
      await write('package.json', { type: 'module' });
      await write('package-lock.json', {});
      await cp(join(project, 'tsconfig.json'), join(root, 'tsconfig.json'));
      await symlink(join(project, 'node_modules'), join(root, 'node_modules'));
    });

    it('is true until a source is changed, added or removed', async () => {
      expect(isBuilt(root)).to.equal(false);
      await ensureBuilt(root);
      expect(isBuilt(root)).to.equal(true);
      expect(await readFile(join(root, 'dist', 'src', 'one.js'), 'utf8')).to.include('one = 1');

      await write('src/one.ts', 'export const one: number = 2;\n');
      expect(isBuilt(root)).to.equal(false);
      await write('src/one.ts', 'export const one: number = 1;\n');
      await write('migrations/two.ts', 'export const two: number = 2;\n');
      expect(isBuilt(root)).to.equal(false);
      await ensureBuilt(root);
      await rm(join(root, 'migrations', 'two.ts'));
      expect(isBuilt(root)).to.equal(false);

      // No process has this PID.
      await write('dist.new.99999999/src/one.js', '');
      await ensureBuilt(root);
      expect(
        existsSync(join(root, 'dist', 'migrations', 'two.js')),
        'what went is gone from the build',
      ).to.equal(false);
      expect(readdirSync(root).filter((name) => name.startsWith('dist'))).to.deep.equal(['dist']);
    });

    it('writes down the commit that was built, also where only other files changed since', async function () {
      if (!findProgram('git')) return this.skip();
      const git = (...args: string[]) =>
        execFileSync('git', ['-c', 'user.name=Test', '-c', 'user.email=test@example.com', ...args], {
          cwd: root,
          encoding: 'utf8',
          stdio: ['ignore', 'pipe', 'ignore'],
        }).trim();
      const built = () => readFile(join(root, 'dist', 'commit'), 'utf8').catch(() => undefined);
      await ensureBuilt(root);
      expect(await built(), 'not from git').to.equal(undefined);

      await write('.gitignore', 'dist*\nnode_modules\n');
      git('init', '--quiet');
      git('add', '.');
      git('commit', '--quiet', '-m', 'First');
      await ensureBuilt(root);
      expect(await built()).to.equal(git('rev-parse', '--short=12', 'HEAD'));

      await write('README.md', 'text');
      git('add', '.');
      git('commit', '--quiet', '-m', 'Second');
      await ensureBuilt(root);
      expect(await built()).to.equal(git('rev-parse', '--short=12', 'HEAD'));

      await write('src/one.ts', 'export const one: number = 3;\n');
      await ensureBuilt(root);
      expect(await built()).to.equal(`${git('rev-parse', '--short=12', 'HEAD')}-dirty`);

      // As on a machine that the build was copied to.
      await rm(join(root, '.git'), { recursive: true });
      await ensureBuilt(root);
      expect(await built()).to.match(/-dirty$/);
    });

    it('does not take the commit of another project that it is inside of', async function () {
      if (!findProgram('git')) return this.skip();
      const inner = join(root, 'unpacked');
      for (const path of [
        'src',
        'workers',
        'migrations',
        'package.json',
        'package-lock.json',
        'tsconfig.json',
      ])
        await cp(join(root, path), join(inner, path), { recursive: true });
      await symlink(join(project, 'node_modules'), join(inner, 'node_modules'));
      const git = ['-c', 'user.name=Test', '-c', 'user.email=test@example.com'];
      execFileSync('git', ['init', '--quiet'], { cwd: root });
      execFileSync('git', [...git, 'commit', '--quiet', '--allow-empty', '-m', 'Other'], { cwd: root });
      await ensureBuilt(inner);
      expect(existsSync(join(inner, 'dist', 'commit'))).to.equal(false);
    });

    it('keeps the old build when a build fails or is stopped, and leaves no temporary folders', async () => {
      await ensureBuilt(root);
      await write('src/one.ts', 'export const one: number = ;\n');
      const build = () =>
        spawn(
          process.execPath,
          ['-e', `import(${JSON.stringify(launcher)}).then((l) => l.ensureBuilt(process.argv[1]))`, root],
          {
            stdio: ['ignore', 'ignore', 'pipe'],
          },
        );
      const failing = build();
      let said = '';
      failing.stderr.setEncoding('utf8').on('data', (text: string) => {
        said += text;
      });
      expect((await once(failing, 'close'))[0]).to.equal(1);
      expect(said)
        .to.include('one.ts')
        .and.match(/The build failed\.\n$/);
      expect(readdirSync(root).filter((name) => name.startsWith('dist'))).to.deep.equal(['dist']);

      // The compiler is suspended, so that the signal arrives while it runs.
      await rm(join(root, 'node_modules'));
      await write(
        'node_modules/typescript/bin/tsc',
        'console.error("compiling"); setInterval(() => {}, 1000);',
      );
      const stopped = build();
      stopped.stderr.setEncoding('utf8').on('data', (text: string) => {
        said += text;
      });
      await eventually(() => expect(said).to.match(/compiling\n$/));
      stopped.kill('SIGTERM');
      // Closes only when the compiler, which holds the other end, has exited too.
      expect((await once(stopped, 'close'))[1]).to.equal('SIGTERM');
      expect(await readFile(join(root, 'dist', 'src', 'one.js'), 'utf8')).to.include('one = 1');
    });
  });
});
