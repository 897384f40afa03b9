import { findingsFor, type Finding } from './finding.ts';

const { ok, warning } = findingsFor('disk');

/** `f_type` of Linux's statfs. */
const inMemory = new Map([
  [0x01_02_19_94, 'tmpfs'],
  [0x85_84_58_f6, 'ramfs'],
]);
const overlay = 0x79_4c_76_30;

/** Whether what is written to DATA_DIR is there after a restart. The spool holds scans that exist nowhere else. */
export function assessFileSystem(type: number, dataDir: string): Finding {
  const name = inMemory.get(type);
  if (name) {
    return warning(
      `DATA_DIR ${dataDir} is in memory (${name}): scans in the spool are lost when the machine or container restarts.`,
      'Set DATA_DIR to a folder on a disk; in a container, mount a persistent volume there.',
    );
  }
  if (type === overlay) {
    return warning(
      `DATA_DIR ${dataDir} is in the container's own file system (overlay): scans in the spool are lost when the container is replaced.`,
      'Mount a persistent volume at DATA_DIR, for example `-v qrelay-data:/data` with DATA_DIR=/data.',
    );
  }
  return ok(`DATA_DIR ${dataDir} is on a file system that keeps its files.`);
}
