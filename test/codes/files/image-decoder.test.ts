import { type ChildProcess, spawn } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { deflateSync } from 'node:zlib';
import { expect } from 'chai';
import { pngFile } from '../../../src/codes/image/pixels.ts';
import { createImageDecoder } from '../../../src/codes/files/image-decoder.ts';
import { endlessSvg } from '../../hostile/hostile-logos.ts';
import { testLog } from '../../support/test-log.ts';
import { png } from './logo-files.ts';

const caller = { key: 'an account' };

/** Ten megapixels of black. */
function largePng(): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(4_000, 0);
  header.writeUInt32BE(2_500, 4);
  header.set([8, 0], 8);
  return pngFile(header, [], deflateSync(Buffer.alloc(4_001 * 2_500)));
}

describe('The decoder of uploaded images', () => {
  it('blames the file that uses up its CPU time', async () => {
    const decoder = createImageDecoder(testLog(), { maxCpuMs: 50 });
    const error = await decoder.decode(caller, largePng(), 'logo').catch((reason: unknown) => reason);
    expect(error).to.include({
      name: 'ImageError',
      message: 'takes too long to draw: make it simpler, or export it as PNG',
    });
    await decoder.close();
  });

  it('stops a drawing that would never end', async () => {
    const decoder = createImageDecoder(testLog(), { maxCpuMs: 500 });
    const error = await decoder.decode(caller, endlessSvg, 'logo').catch((reason: unknown) => reason);
    expect(error).to.include({ name: 'ImageError' });
    expect((error as Error).message).to.match(/^takes too long to draw/);
    await decoder.close();
  });

  it('blames a busy machine, not the file, for a timeout', async () => {
    const decoder = createImageDecoder(testLog(), { timeoutMs: 1 });
    const error = await decoder.decode(caller, png(), 'logo').catch((reason: unknown) => reason);
    expect(error).to.include({ name: 'BusyError' });
    await decoder.close();
  });

  it('has freed the memory of a file before it takes the next one', async () => {
    const decoder = createImageDecoder(testLog());
    const threads = () => process.getActiveResourcesInfo().filter((name) => name === 'MessagePort').length;
    const before = threads();
    await decoder.decode(caller, largePng(), 'photo');
    expect(threads()).to.equal(before);
    await decoder.close();
  });
});

describe('The decoder of uploaded images on a busy machine [processes]', () => {
  it('gives a file its CPU time on a machine that is busy with something else', async function () {
    this.timeout(60_000);
    const others: ChildProcess[] = Array.from({ length: 2 * availableParallelism() }, () =>
      spawn(process.execPath, ['-e', 'setTimeout(() => process.exit(), 60_000); for (;;);']),
    );
    const decoder = createImageDecoder(testLog(), { maxCpuMs: 3_000 });
    try {
      expect((await decoder.decode(caller, largePng(), 'logo')).length).to.be.above(100);
    } finally {
      others.forEach((other) => other.kill('SIGKILL'));
      await decoder.close();
    }
  });
});
