import { link, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { SetupError } from '../errors.ts';
import { identify, isAlive } from '../process-identity.ts';

/** One that was asked to stop a moment ago may need this long. */
const defaultPatienceMs = 5_000;

interface ClaimOptions {
  signal?: AbortSignal | undefined;
  patienceMs?: number;
}

/**
 * Makes the data folder and claims it for this process, so that no two services run on one database. The claim is a
 * file with our identity: one that a killed process left behind is seen to be void.
 */
export async function claimDataDir(
  dataDir: string,
  { signal, patienceMs = defaultPatienceMs }: ClaimOptions = {},
): Promise<() => Promise<void>> {
  const claim = join(dataDir, 'qrelay.pid');
  const mine = await identify(process.pid);
  const giveUpAt = Date.now() + patienceMs;
  try {
    await mkdir(dataDir, { recursive: true });
    for (;;) {
      if (await take(claim, mine)) return () => rm(claim, { force: true });
      const holder = await readFile(claim, 'utf8').catch(absent);
      if (holder === undefined) continue;
      if (!(await isAlive(holder))) {
        await discard(claim, holder);
        continue;
      }
      if (Date.now() > giveUpAt) {
        throw new SetupError(
          `Another Qrelay (process ${Number.parseInt(holder, 10)}) is using ${dataDir}. Stop it, or set DATA_DIR to another folder.`,
        );
      }
      await sleep(100, undefined, { signal });
    }
  } catch (error) {
    throw asUnwritable(dataDir, error);
  }
}

/** A failure to write below the data folder, as a sentence; any other failure as it is. */
export function asUnwritable(dataDir: string, error: unknown): unknown {
  if (!(error instanceof Error) || !('path' in error) || !('code' in error)) return error;
  if (!String(error.path).startsWith(dataDir)) return error;
  return new SetupError(
    `DATA_DIR ${dataDir} cannot be written (${String(error.code)}). Give this user room and the right to write there, or set DATA_DIR to another folder.`,
  );
}

/** Written whole under another name first: nobody may read a claim that is half there. */
async function take(claim: string, content: string): Promise<boolean> {
  const draft = `${claim}.${process.pid}`;
  try {
    await writeFile(draft, content);
    await link(draft, claim);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  } finally {
    await rm(draft, { force: true }).catch(() => undefined);
  }
}

/** Moved away before it is deleted: if another process has claimed the folder meanwhile, its claim is put back. */
async function discard(claim: string, voidContent: string): Promise<void> {
  const aside = `${claim}.void.${process.pid}`;
  await rename(claim, aside).catch(absent);
  const moved = await readFile(aside, 'utf8').catch(absent);
  if (moved !== undefined && moved !== voidContent) await link(aside, claim);
  await rm(aside, { force: true });
}

function absent(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error;
}
