import { randomUUID } from 'node:crypto';
import { link, mkdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { SetupError } from '../errors.ts';
import { watchHeartbeats } from '../runtime/heartbeat.ts';
import { processIdentity, checkLiveness } from '../runtime/process-identity.ts';

/** One that was asked to stop a moment ago may need this long. */
const defaultPatienceMs = 5_000;

/** How often a claim is touched; one of a process that we cannot see is void when it was not for so long. */
const usualHeartbeatMs = 2_000;
const heartbeatsToMiss = 10;

interface ClaimOptions {
  signal?: AbortSignal | undefined;
  patienceMs?: number;
  heartbeatMs?: number;
  /** Called where another process has taken the folder, because this one stood still for too long. */
  onLost?: () => void;
}

/**
 * Makes the data folder and claims it for this process, so that no two services run on one database. The claim is a
 * file with our identity: one that a killed process left behind is seen to be void. A process of another container or
 * machine cannot be seen: it shows that it lives by touching its claim.
 */
export async function claimDataDir(
  dataDir: string,
  {
    signal,
    patienceMs = defaultPatienceMs,
    heartbeatMs = usualHeartbeatMs,
    onLost = () => undefined,
  }: ClaimOptions = {},
): Promise<() => Promise<void>> {
  const claim = join(dataDir, 'qrelay.pid');
  const mine = await processIdentity(process.pid);
  const giveUpAt = Date.now() + patienceMs;
  const isVoid = judgeClaims(claim, heartbeatMs * heartbeatsToMiss);
  try {
    await mkdir(dataDir, { recursive: true });
    for (;;) {
      if (await take(claim, mine)) return keepClaim(claim, mine, heartbeatMs, onLost);
      const holder = await readFile(claim, 'utf8').catch(absent);
      if (holder === undefined) continue;
      const verdict = await isVoid(holder);
      if (verdict === true) {
        await discard(claim, holder);
        continue;
      }
      if (verdict === false && Date.now() > giveUpAt) throw new SetupError(await takenBy(holder, dataDir));
      await sleep(100, undefined, { signal });
    }
  } catch (error) {
    throw asUnwritable(dataDir, error);
  }
}

/** Undefined while it has to be watched for longer. */
function judgeClaims(claim: string, voidAfterMs: number) {
  const heartbeats = watchHeartbeats();
  let firstMtimeMs: number | undefined;
  return async (holder: string): Promise<boolean | undefined> => {
    const liveness = await checkLiveness(holder);
    if (liveness !== 'unknown') return liveness === 'gone';
    const file = await stat(claim).catch(absent);
    if (!file) return undefined;
    firstMtimeMs ??= file.mtimeMs;
    if (file.mtimeMs !== firstMtimeMs) return false;
    return heartbeats.unchangedMs(claim, file.mtimeMs) > voidAfterMs ? true : undefined;
  };
}

async function takenBy(holder: string, dataDir: string): Promise<string> {
  const who =
    (await checkLiveness(holder)) === 'unknown'
      ? 'in another container or on another machine'
      : `process ${Number.parseInt(holder, 10)}`;
  return `Another Qrelay (${who}) is using ${dataDir}. Stop it, or set DATA_DIR to another folder.`;
}

/** Touches it until it is released. */
function keepClaim(
  claim: string,
  mine: string,
  heartbeatMs: number,
  onLost: () => void,
): () => Promise<void> {
  const isOurs = async () => (await readFile(claim, 'utf8').catch(absent)) === mine;
  const beat = async () => {
    if (await isOurs()) {
      const now = new Date();
      await utimes(claim, now, now);
    } else {
      clearInterval(beating);
      onLost();
    }
  };
  // A disk that fails for a moment is no loss: the next beat finds out.
  const beating = setInterval(() => void beat().catch(() => undefined), heartbeatMs).unref();
  return async () => {
    clearInterval(beating);
    if (await isOurs()) await rm(claim, { force: true });
  };
}

/** A failure to write below the data folder, as a sentence; any other failure as it is. */
export function asUnwritable(dataDir: string, error: unknown): unknown {
  if (!(error instanceof Error) || !('path' in error) || !('code' in error)) return error;
  if (!String(error.path).startsWith(dataDir)) return error;
  return unwritable(dataDir, String(error.code));
}

function unwritable(dataDir: string, code: string): SetupError {
  return new SetupError(
    `DATA_DIR ${dataDir} cannot be written (${code}). Give this user room and the right to write there, or set DATA_DIR to another folder.`,
  );
}

/**
 * For a process that will need the folder later: fails now where it never can write there. A disk that is full may have
 * room again, and is only told of.
 */
export async function requireWritable(
  dataDir: string,
  write: () => Promise<void>,
  tellFull: (error: unknown) => void,
): Promise<void> {
  try {
    await write();
  } catch (error) {
    const { code = 'unknown' } = error as NodeJS.ErrnoException;
    if (code !== 'ENOSPC' && code !== 'EDQUOT') throw unwritable(dataDir, code);
    tellFull(error);
  }
}

/** Written whole under another name first: nobody may read a claim that is half there. */
async function take(claim: string, content: string): Promise<boolean> {
  // Of two containers, both may be process 1.
  const draft = `${claim}.${randomUUID()}`;
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
  const aside = `${claim}.void.${randomUUID()}`;
  await rename(claim, aside).catch(absent);
  const moved = await readFile(aside, 'utf8').catch(absent);
  if (moved !== undefined && moved !== voidContent) await link(aside, claim);
  await rm(aside, { force: true });
}

function absent(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error;
}
