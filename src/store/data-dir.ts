import { link, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { SetupError } from '../errors.ts';

const patienceMs = 12_000;

/**
 * Makes the data folder and claims it for this process, so that no two services run on one database. The claim is a
 * file with our process number and start time: one that a killed process left behind is seen to be void.
 */
export async function claimDataDir(
  dataDir: string,
  say: (line: string) => void,
): Promise<() => Promise<void>> {
  const claim = join(dataDir, 'qrelay.pid');
  const draft = `${claim}.${process.pid}`;
  const mine = `${process.pid} ${await startTimeOf(process.pid)}\n`;
  await mkdir(dataDir, { recursive: true }).catch((error: unknown) => refuse(dataDir, error));
  const giveUpAt = Date.now() + patienceMs;
  for (let told = false; ; ) {
    try {
      // Written whole under another name first: nobody may read a claim that is half there.
      await writeFile(draft, mine, { mode: 0o600 });
      await link(draft, claim);
      return () => rm(claim, { force: true });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') refuse(dataDir, error);
    } finally {
      await rm(draft, { force: true }).catch(() => undefined);
    }
    const holder = await liveHolder(claim);
    if (holder === undefined) {
      await rm(claim, { force: true });
      continue;
    }
    if (Date.now() > giveUpAt) {
      throw new SetupError(
        `Another Qrelay (process ${holder}) is using ${dataDir}. Stop it, or set DATA_DIR to another folder.`,
      );
    }
    if (!told) say(`Waiting for the Qrelay that uses ${dataDir} (process ${holder}) to stop ...`);
    told = true;
    await sleep(200);
  }
}

function refuse(dataDir: string, error: unknown): never {
  const { code = '' } = error as NodeJS.ErrnoException;
  throw new SetupError(
    `DATA_DIR ${dataDir} cannot be written (${code}). Give this user the right to write there, or set DATA_DIR to another folder.`,
  );
}

async function liveHolder(claim: string): Promise<number | undefined> {
  const [pidText = '', startTime = ''] = (await readFile(claim, 'utf8').catch(() => '')).trim().split(' ');
  const pid = Number(pidText);
  if (!Number.isInteger(pid) || pid <= 0) return undefined;
  try {
    process.kill(pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') return undefined;
  }
  return (await startTimeOf(pid)) === startTime ? pid : undefined;
}

/** Tells a process from a later one with the same number. Outside Linux the number alone has to do. */
async function startTimeOf(pid: number): Promise<string> {
  const line = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  const boot = await readFile('/proc/sys/kernel/random/boot_id', 'utf8').catch(() => '');
  const ticks = line.slice(line.lastIndexOf(')') + 2).split(' ')[19] ?? '';
  return `${ticks}@${boot.trim()}`;
}
