import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { buckets, openKnownFolder } from '../../src/store/known-files.ts';

describe('A folder of files that are known', () => {
  let folder: string;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'qrelay-known-'));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  const names = Array.from({ length: 2_000 }, (_, index) => `name${index}`);
  const countFiles = async () =>
    (await readdir(folder, { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile())
      .length;

  it('is bounded, and keeps what was written last, however many processes write to it', async () => {
    const files = [openKnownFolder(folder, 3), openKnownFolder(folder, 3)];
    for (const [index, name] of names.entries()) await files[index % 2]?.write(name, 1, name);
    expect(await countFiles()).to.be.within(buckets, 3 * buckets + buckets);
    expect(await files[0]?.read(names.at(-1) ?? '', 1)).to.equal(names.at(-1));
    expect(await files[0]?.read(names[0] ?? '', 1)).to.equal(undefined);
  });

  it('can be deleted while it is in use', async () => {
    const files = openKnownFolder(folder, 3);
    await files.write('one', 1, 'text');
    await rm(folder, { recursive: true });
    expect(await files.read('one', 1)).to.equal(undefined);
    await files.write('one', 1, 'text').catch(() => undefined);
    await files.write('one', 1, 'text');
    expect(await files.read('one', 1)).to.equal('text');
  });
});
