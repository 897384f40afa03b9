import { setImmediate } from 'node:timers/promises';
import { expect } from 'chai';
import { createDownloads } from '../../src/web/downloads.ts';

describe('A download', () => {
  it('of parts that are in memory lets other requests go on between them', async () => {
    const parts = 50;
    let isDone = false;
    let turns = 0;
    async function countTurns(): Promise<void> {
      for (; !isDone; turns += 1) await setImmediate();
    }
    async function* inMemory() {
      for (let part = 0; part < parts; part += 1) yield Buffer.alloc(10);
    }
    const body = await createDownloads().stream({ key: 'a' }, async () => inMemory());
    const counting = countTurns();
    let bytes = 0;
    for await (const part of body) bytes += (part as Buffer).length;
    isDone = true;
    await counting;
    expect(bytes).to.equal(parts * 10);
    expect(turns).to.be.at.least(parts);
  });
});
