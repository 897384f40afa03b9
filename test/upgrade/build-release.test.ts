import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { buildRelease } from './build-release.ts';

const run = promisify(execFile);

describe('The previous release of the upgrade test', () => {
  let folder: string;
  let origin: string;
  let firstCommit: string;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'qrelay-clones-'));
    origin = join(folder, 'origin');
    await mkdir(origin);
    await git(origin, 'init', '--quiet');
    await commit('First');
    firstCommit = await git(origin, 'rev-parse', 'HEAD');
    await commit('Second');
  });
  after(() => rm(folder, { recursive: true, force: true }));

  const git = async (cwd: string, ...args: string[]) => (await run('git', args, { cwd })).stdout.trim();
  const commit = (subject: string) => {
    const author = [
      '-c',
      'user.name=Test',
      '-c',
      'user.email=test@example.com',
      '-c',
      'commit.gpgsign=false',
    ];
    return git(origin, ...author, 'commit', '--quiet', '--allow-empty', '-m', subject);
  };
  const messageOf = (name: string, repository: string) =>
    buildRelease(name, repository).then(
      () => expect.fail('It was built'),
      (error: Error) => error.message,
    );

  it('must be in the clone: a shallow one says so, and how to complete it', async () => {
    await git(folder, 'clone', '--quiet', '--depth=1', `file://${origin}`, 'shallow');
    expect(await messageOf(firstCommit, join(folder, 'shallow'))).to.equal(
      `The upgrade test needs commit ${firstCommit} of the previous release, and this clone is shallow. ` +
        'Run `git fetch --unshallow`, or clone without --depth.',
    );
  });

  it('must be known to a complete clone, and a folder without git says that it is none', async () => {
    const unknown = 'a'.repeat(40);
    expect(await messageOf(unknown, origin)).to.include('this clone does not have it');
    expect(await messageOf(firstCommit, folder)).to.include('this folder is not a git clone');
  });
});
