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

export interface FreezableDisk {
  folder: string;
  /** From now on, whatever writes to it waits, in the kernel, and cannot even be killed. */
  freeze(): void;
  /** Lets everything that waits go on. */
  thaw(): void;
  remove(): Promise<void>;
}

const diskMb = 16;

/** A disk of its own, in a file, that a test can make hang. Only root may mount it: undefined for others, and outside Linux. */
export async function mountFreezableDisk(folder: string): Promise<FreezableDisk | undefined> {
  const image = `${folder}.image`;
  await mkdir(folder, { recursive: true });
  const file = await open(image, 'w');
  await file.truncate(diskMb * 1024 * 1024);
  await file.close();
  const run = (program: string, ...args: string[]) => spawnSync(program, args).status === 0;
  if (!run('mkfs.ext4', '-q', image) || !run('mount', '-o', 'loop', image, folder)) {
    console.log('      (only root on Linux can mount a disk that hangs)');
    await rm(image, { force: true });
    return undefined;
  }
  let isFrozen = false;
  function change(option: '--freeze' | '--unfreeze'): void {
    if (!run('fsfreeze', option, folder)) throw new Error(`fsfreeze ${option} failed`);
    isFrozen = option === '--freeze';
  }
  const thaw = () => (isFrozen ? change('--unfreeze') : undefined);
  return {
    folder,
    freeze: () => change('--freeze'),
    thaw,
    async remove() {
      // Otherwise those who wait, and the disk, would be there until the machine is restarted.
      thaw();
      run('umount', '-l', folder);
      await rm(folder, { recursive: true, force: true });
      await rm(image, { force: true });
    },
  };
}
