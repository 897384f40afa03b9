import { execFileSync } from 'node:child_process';
import { findProgram } from './find-program.ts';

/** Whether a browser on this machine can draw Chinese. Only on Linux is such a font missing at times. */
export function hasChineseFont(): boolean {
  if (process.platform !== 'linux') return true;
  const program = findProgram('fc-list');
  return program !== undefined && execFileSync(program, [':lang=zh']).length > 0;
}
