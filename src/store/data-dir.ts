import { randomUUID } from 'node:crypto';
import { link, mkdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { SetupError } from '../errors.ts';
import { watchHeartbeats } from '../runtime/heartbeat.ts';
import { processIdentity, checkLiveness } from '../runtime/process-identity.ts';

/** How long to wait for a process that is just shutting down. */
const defaultTimeoutMs = 5_000;

/** How often the owner touches its claim. After `maxMissed` missed heartbeats, the claim of an owner we cannot see is stale. */
const defaultHeartbeatMs = 2_000;
const maxMissed = 10;

interface ClaimOptions {
  signal?: AbortSignal | undefined;
  timeoutMs?: number;
  heartbeatMs?: number;
  /** Called when another process has claimed the folder because this one missed too many heartbeats. */
  onLost?: () => void;
}

/**
 * Creates the data folder and claims it for this process, so that two services never run on one database. The claim is a
 * file with our process identity, so the claim of a killed process can be recognized as stale. We cannot see processes of
 * other containers or machines; these prove that they are alive by touching their claim.
 */
export async function claimDataDir(
  dataDir: string,
  {
    signal,
    timeoutMs = defaultTimeoutMs,
    heartbeatMs = defaultHeartbeatMs,
    onLost = () => undefined,
  }: ClaimOptions = {},
): Promise<() => Promise<void>> {
  const claim = join(dataDir, 'qrelay.pid');
  const mine = await processIdentity(process.pid);
  const giveUpAt = Date.now() + timeoutMs;
  const isStale = createStaleCheck(claim, heartbeatMs * maxMissed);
  try {
    await mkdir(dataDir, { recursive: true });
    for (;;) {
      if (await take(claim, mine)) return keepClaim(claim, mine, heartbeatMs, onLost);
      const holder = await readFile(claim, 'utf8').catch(ignoreMissing);
      if (holder === undefined) continue;
      const stale = await isStale(holder);
      if (stale === true) {
        await discard(claim, holder);
        continue;
      }
      if (stale === false && Date.now() > giveUpAt) throw new SetupError(await inUseMessage(holder, dataDir));
      await sleep(100, undefined, { signal });
    }
  } catch (error) {
    throw asUnwritableError(dataDir, error);
  }
}

/** The returned check gives undefined while the claim must be watched for longer. */
function createStaleCheck(claim: string, staleAfterMs: number) {
  const heartbeats = watchHeartbeats();
  let firstMtimeMs: number | undefined;
  return async (holder: string): Promise<boolean | undefined> => {
    const liveness = await checkLiveness(holder);
    if (liveness !== 'unknown') return liveness === 'gone';
    const file = await stat(claim).catch(ignoreMissing);
    if (!file) return undefined;
    firstMtimeMs ??= file.mtimeMs;
    if (file.mtimeMs !== firstMtimeMs) return false;
    return heartbeats.unchangedMs(claim, file.mtimeMs) > staleAfterMs ? true : undefined;
  };
}

async function inUseMessage(holder: string, dataDir: string): Promise<string> {
  const who =
    (await checkLiveness(holder)) === 'unknown'
      ? 'in another container or on another machine'
      : `process ${Number.parseInt(holder, 10)}`;
  return `Another Qrelay (${who}) is using ${dataDir}. Stop it, or set DATA_DIR to another folder.`;
}

/** Touches the claim until the returned function releases it. */
function keepClaim(
  claim: string,
  mine: string,
  heartbeatMs: number,
  onLost: () => void,
): () => Promise<void> {
  const isOurs = async () => (await readFile(claim, 'utf8').catch(ignoreMissing)) === mine;
  const beat = async () => {
    if (await isOurs()) {
      const now = new Date();
      await utimes(claim, now, now);
    } else {
      clearInterval(timer);
      onLost();
    }
  };
  // A transient disk error is ignored; the next heartbeat tries again.
  const timer = setInterval(() => void beat().catch(() => undefined), heartbeatMs).unref();
  return async () => {
    clearInterval(timer);
    if (await isOurs()) await rm(claim, { force: true });
  };
}

/** Turns an error of a file in the data folder into a SetupError; returns any other error unchanged. */
export function asUnwritableError(dataDir: string, error: unknown): unknown {
  if (!(error instanceof Error) || !('path' in error) || !('code' in error)) return error;
  if (!String(error.path).startsWith(dataDir)) return error;
  return unwritable(dataDir, String(error.code));
}

function unwritable(dataDir: string, code: string): SetupError {
  return new SetupError(
    `DATA_DIR ${dataDir} is not writable (${code}). Free disk space and give this user write permission there, or set DATA_DIR to another folder.`,
  );
}

/**
 * For a process that needs the folder later: throws now if it cannot write there. A full disk may have space again, so it
 * is only reported through `onFull`.
 */
export async function requireWritable(
  dataDir: string,
  write: () => Promise<void>,
  onFull: (error: unknown) => void,
): Promise<void> {
  try {
    await write();
  } catch (error) {
    const { code = 'unknown' } = error as NodeJS.ErrnoException;
    if (code !== 'ENOSPC' && code !== 'EDQUOT') throw unwritable(dataDir, code);
    onFull(error);
  }
}

/** Written to a temporary file first, so that nobody reads half a claim. */
async function take(claim: string, content: string): Promise<boolean> {
  // Not the PID: in two containers, both may be process 1.
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

/** Renamed before it is deleted: if another process has claimed the folder in the meantime, its claim is put back. */
async function discard(claim: string, staleContent: string): Promise<void> {
  const aside = `${claim}.stale.${randomUUID()}`;
  await rename(claim, aside).catch(ignoreMissing);
  const moved = await readFile(aside, 'utf8').catch(ignoreMissing);
  if (moved !== undefined && moved !== staleContent) await link(aside, claim);
  await rm(aside, { force: true });
}

function ignoreMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error;
}
