import { createHash, randomUUID } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * Small files in DATA_DIR with what the process last read from the database, so that it can go on without it after a
 * restart. Several processes may share the folder. A file is replaced as a whole and never synced: one that a crash left
 * cut off does not match its checksum, and counts as missing.
 */
export async function writeKnownFile(path: string, version: number, text: string): Promise<void> {
  // Not the PID: in two containers, both may be process 1.
  const draft = `${path}.${randomUUID()}${draftEnding}`;
  try {
    await writeFile(draft, `${headOf(version, text)}\n${text}`, { mode: 0o600, flag: 'wx' });
    await rename(draft, path);
  } catch (error) {
    await rm(draft, { force: true }).catch(() => undefined);
    throw error;
  }
}

/** Undefined if it is missing, damaged, or of another version. */
export async function readKnownFile(path: string, version: number): Promise<string | undefined> {
  const file = await readFile(path, 'utf8').catch(() => '');
  const end = file.indexOf('\n');
  const text = file.slice(end + 1);
  return end > 0 && file.slice(0, end) === headOf(version, text) ? text : undefined;
}

const draftEnding = '.draft';

function headOf(version: number, text: string): string {
  return `qrelay ${version} ${createHash('sha256').update(text).digest('hex')}`;
}

export interface KnownFolder {
  read(name: string, version: number): Promise<string | undefined>;
  write(name: string, version: number, text: string): Promise<void>;
  remove(name: string): Promise<void>;
  /** The names of the files in one of the `buckets`, whose number is less than that. */
  list(bucket: number): Promise<string[]>;
}

/** Spread over subfolders, each of them with a bounded number of files: a look at one is cheap, and the sum is bounded. */
export const buckets = 256;

/** Names are letters and digits. When a subfolder is full, the files that were written longest ago are deleted. */
export function openKnownFolder(folder: string, maxPerBucket: number): KnownFolder {
  const counts = new Map<number, number>();
  const folderOf = (bucket: number) => join(folder, bucket.toString(16).padStart(2, '0'));
  const pathOf = (name: string) => join(folderOf(bucketOf(name)), name);

  /** Other processes write there as well, so the number is counted again before anything is deleted. */
  async function makeRoom(bucket: number): Promise<void> {
    const count = counts.get(bucket);
    if (count !== undefined && count < maxPerBucket) return;
    await mkdir(folderOf(bucket), { recursive: true, mode: 0o700 });
    const paths = (await readdir(folderOf(bucket))).map((name) => join(folderOf(bucket), name));
    const files: { path: string; writtenAt: number }[] = [];
    for (const path of paths) {
      const file = await stat(path).catch(() => undefined);
      if (file) files.push({ path, writtenAt: file.mtimeMs });
    }
    // A few more than necessary, so that not every write has to look.
    const surplus = files.length < maxPerBucket ? 0 : files.length - Math.floor(maxPerBucket * 0.9);
    const oldest = files.toSorted((one, other) => one.writtenAt - other.writtenAt).slice(0, surplus);
    for (const { path } of oldest) await rm(path, { force: true });
    counts.set(bucket, files.length - oldest.length);
  }

  return {
    read: (name, version) => readKnownFile(pathOf(name), version),
    async write(name, version, text) {
      const bucket = bucketOf(name);
      await makeRoom(bucket);
      // Also for a file that is only replaced: the count is corrected when it looks full.
      counts.set(bucket, (counts.get(bucket) ?? 0) + 1);
      try {
        await writeKnownFile(pathOf(name), version, text);
      } catch (error) {
        // The folder may have been deleted.
        counts.delete(bucket);
        throw error;
      }
    },
    remove: (name) => rm(pathOf(name), { force: true }),
    async list(bucket) {
      const names = await readdir(folderOf(bucket)).catch(() => []);
      return names.filter((name) => !name.endsWith(draftEnding));
    },
  };
}

function bucketOf(name: string): number {
  return createHash('sha256').update(name).digest().readUInt8(0);
}
