import { existsSync } from 'node:fs';
import { rename, writeFile } from 'node:fs/promises';
import type { Settings } from '../support/programs.ts';

/** libfaketime for programs with threads, of Debian's package `faketime`. */
const library = ['x86_64', 'aarch64']
  .map((machine) => `/usr/lib/${machine}-linux-gnu/faketime/libfaketimeMT.so.1`)
  .find(existsSync);

/** The wall clock of one process, which can be stepped while it runs. Monotonic clocks and timers are not affected. */
export interface FakedClock {
  /** For the environment of the process. */
  settings: Settings;
  /** How far the clock is ahead of the real one from now on. The process sees it within a second. */
  setOffset(seconds: number): Promise<void>;
}

/** Undefined without libfaketime. */
export async function createFakedClock(file: string): Promise<FakedClock | undefined> {
  if (!library) return undefined;
  async function setOffset(seconds: number): Promise<void> {
    // Renamed, because a process may read it at any time.
    await writeFile(`${file}.new`, `${seconds < 0 ? '' : '+'}${seconds}\n`);
    await rename(`${file}.new`, file);
  }
  await setOffset(0);
  return {
    settings: {
      LD_PRELOAD: library,
      FAKETIME_TIMESTAMP_FILE: file,
      FAKETIME_CACHE_DURATION: '1',
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
    },
    setOffset,
  };
}
