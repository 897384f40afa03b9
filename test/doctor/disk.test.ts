import { statfsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { assessFileSystem, checkDisk } from '../../src/doctor/disk.ts';
import { goodConfig } from './setup.ts';

const tmpfs = 0x01_02_19_94;
const memoryFolder = '/dev/shm';

describe('The doctor on the file system of DATA_DIR', () => {
  it('warns where it is in memory, on a real one', async function () {
    if (process.platform !== 'linux' || statfsSync(memoryFolder).type !== tmpfs) return this.skip();
    const folder = await mkdtemp(join(memoryFolder, 'qrelay-doctor-'));
    // Also for a folder that does not exist yet.
    for (const dataDir of [folder, join(folder, 'not', 'yet')]) {
      const found = (await checkDisk(goodConfig({ dataDir }))).at(-1);
      expect(found?.finding).to.equal(
        `DATA_DIR ${dataDir} is in memory (tmpfs): scans in the spool are lost when the machine or container restarts.`,
      );
      expect(found?.remedy).to.include('persistent volume');
    }
    await rm(folder, { recursive: true });
  });

  it('warns in the layer of a container, and not on a disk', () => {
    expect(assessFileSystem(0x79_4c_76_30, '/data').finding).to.include('(overlay)');
    for (const disk of [0xef_53, 0x58_46_53_42, 0x91_23_68_3e, 0x69_69])
      expect(assessFileSystem(disk, '/data').state).to.equal('ok');
  });
});
