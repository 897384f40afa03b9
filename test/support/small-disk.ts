import { spawnSync } from 'node:child_process';
import { mkdir, open, rm } from 'node:fs/promises';
import { join } from 'node:path';

export interface SmallDisk {
  folder: string;
  /** Leaves no room for a single byte. */
  fill(): Promise<void>;
  /** Gives all of it back but what others wrote. */
  free(): Promise<void>;
  remove(): Promise<void>;
}

/** A disk of its own, in memory, that a test can fill. Only root may mount it: undefined for others, and outside Linux. */
export async function mountSmallDisk(folder: string, kilobytes: number): Promise<SmallDisk | undefined> {
  await mkdir(folder, { recursive: true });
  const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${kilobytes}k,mode=0777`, 'tmpfs', folder]);
  if (mounted.status !== 0) {
    console.log('      (only root on Linux can mount a small disk)');
    return undefined;
  }
  const filler = join(folder, 'filler');
  return {
    folder,
    async fill() {
      const file = await open(filler, 'a');
      try {
        // A page is what such a disk gives out at a time.
        for (;;) await file.appendFile(Buffer.alloc(4096));
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
      } finally {
        await file.close();
      }
    },
    free: () => rm(filler),
    async remove() {
      spawnSync('umount', ['-l', folder]);
      await rm(folder, { recursive: true, force: true });
    },
  };
}
