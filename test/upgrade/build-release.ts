import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const root = fileURLToPath(new URL('../../', import.meta.url));
const run = promisify(execFile);

export interface BuiltRelease {
  commit: string;
  /** Where it is installed and built. */
  folder: string;
}

/** The last entry of releases.json, unless UPGRADE_FROM names another commit or tag. */
export async function previousRelease(): Promise<string> {
  const given = process.env['UPGRADE_FROM'];
  if (given) return given;
  const text = await readFile(new URL('releases.json', import.meta.url), 'utf8');
  const last = (JSON.parse(text) as { commit: string }[]).at(-1);
  if (!last) throw new Error('test/upgrade/releases.json names no release');
  return last.commit;
}

/** Checks a commit out into a folder of its own, with its own packages and build. Kept for the next run. */
export async function buildRelease(name: string, repository = root): Promise<BuiltRelease> {
  const commit = await findCommit(name, repository);
  const folder = join(await releasesFolder(), commit);
  if (existsSync(folder)) return { commit, folder };
  // Renamed when it is complete, so that an interrupted build is not taken for a release.
  const unfinished = `${folder}.${process.pid}`;
  await rm(unfinished, { recursive: true, force: true });
  await mkdir(unfinished);
  await unpack(commit, unfinished, repository);
  const quiet = ['--no-audit', '--no-fund', '--no-update-notifier', '--loglevel=error'];
  const install = ['ci', '--ignore-scripts', '--include=dev', '--include=optional', '--prefer-offline'];
  await run('npm', [...install, ...quiet], { cwd: unfinished });
  await run(process.execPath, [join('src', 'launch.mjs')], { cwd: unfinished });
  await rename(unfinished, folder);
  return { commit, folder };
}

async function findCommit(name: string, repository: string): Promise<string> {
  const git = async (...args: string[]) => (await run('git', args, { cwd: repository })).stdout.trim();
  try {
    return await git('rev-parse', '--verify', '--quiet', '--end-of-options', `${name}^{commit}`);
  } catch {
    const isShallow = await git('rev-parse', '--is-shallow-repository').catch(() => undefined);
    const reason = {
      true: 'this clone is shallow. Run `git fetch --unshallow`, or clone without --depth.',
      false: 'this clone does not have it. Fetch the branch or tag that contains it.',
      none: 'this folder is not a git clone. Clone the repository with its history.',
    }[isShallow ?? 'none'];
    throw new Error(`The upgrade test needs commit ${name} of the previous release, and ${reason}`);
  }
}

/** Only this user may write there: what is in it is executed. */
async function releasesFolder(): Promise<string> {
  const uid = process.getuid?.();
  const folder = join(tmpdir(), `qrelay-releases-${uid ?? 'user'}`);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const { uid: owner, mode } = await stat(folder);
  if (uid !== undefined && (owner !== uid || (mode & 0o022) !== 0))
    throw new Error(`${folder} can be written by other users. Remove it.`);
  return folder;
}

async function unpack(commit: string, folder: string, repository: string): Promise<void> {
  const archive = `${folder}.tar`;
  await run('git', ['archive', '--format=tar', `--output=${archive}`, commit], { cwd: repository });
  await run('tar', ['-xf', archive, '-C', folder]);
  await rm(archive);
}
