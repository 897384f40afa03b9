import { randomBytes } from 'node:crypto';
import { expect } from 'chai';
import { type StreamedFile, streamZip, ZipTooLargeError } from '../../src/formats/zip.ts';
import { readZip } from '../support/read-zip.ts';

const now = new Date('2026-11-16T12:00:00Z');

async function* pieces(...texts: string[]): AsyncGenerator<string> {
  yield* texts;
}

async function* files(...list: StreamedFile[]): AsyncGenerator<StreamedFile> {
  yield* list;
}

async function archiveOf(zip: AsyncIterable<Buffer>): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of zip) chunks.push(chunk);
  return Buffer.concat(chunks);
}

describe('A streamed ZIP archive', () => {
  it('has each file with its checksum and size, also empty ones', async () => {
    const zip = streamZip(
      files(
        { name: 'größe.txt', content: pieces('one ', 'two', ' ✓') },
        { name: 'empty.csv', content: pieces() },
        { name: 'long.txt', content: pieces('x'.repeat(1_000_000)) },
      ),
      now,
    );
    const read = readZip(await archiveOf(zip));
    expect([...read].map(([name, data]) => [name, data.length])).to.deep.equal([
      ['größe.txt', 11],
      ['empty.csv', 0],
      ['long.txt', 1_000_000],
    ]);
    expect(read.get('größe.txt')?.toString()).to.equal('one two ✓');
  });

  it('is written in little memory, however long a file is', async () => {
    const totalBytes = 50_000_000;
    async function* random(): AsyncGenerator<string> {
      for (let sent = 0; sent < totalBytes; sent += 100_000) yield randomBytes(75_000).toString('base64');
    }
    let written = 0;
    let most = 0;
    const inUse = () => process.memoryUsage().arrayBuffers;
    const before = inUse();
    for await (const chunk of streamZip(files({ name: 'random.txt', content: random() }), now)) {
      written += chunk.length;
      most = Math.max(most, inUse() - before);
    }
    expect(written).to.be.above(35_000_000);
    expect(most).to.be.below(30_000_000);
  });

  it('reports the error of a file, and a limit that is exceeded', async () => {
    async function* failing(): AsyncGenerator<string> {
      yield 'start';
      throw new Error('The table is gone');
    }
    const failureOf = (zip: AsyncIterable<Buffer>) =>
      archiveOf(zip).then(
        () => undefined,
        (error: unknown) => error as Error,
      );
    const broken = await failureOf(streamZip(files({ name: 'a', content: failing() }), now));
    expect(broken?.message).to.equal('The table is gone');
    const content = pieces(randomBytes(100_000).toString('base64'));
    const large = await failureOf(streamZip(files({ name: 'b', content }), now, { maxBytes: 10_000 }));
    expect(large).to.be.instanceOf(ZipTooLargeError);
  });
});
