import { once } from 'node:events';
import { setImmediate } from 'node:timers/promises';
import { expect } from 'chai';
import { createDownloads } from '../../src/web/downloads.ts';
import { eventually } from '../support/eventually.ts';

const unwatched = () => () => undefined;
const anybody = { key: 'a', access: 'demo' as const };

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
    const body = await createDownloads(unwatched).stream(anybody, async () => inMemory());
    const counting = countTurns();
    let bytes = 0;
    for await (const part of body) bytes += (part as Buffer).length;
    isDone = true;
    await counting;
    expect(bytes).to.equal(parts * 10);
    expect(turns).to.be.at.least(parts);
  });

  describe('of somebody who loses the access that it needs', () => {
    const endings: (() => void)[] = [];
    let watched: unknown[];
    beforeEach(() => {
      endings.length = 0;
      watched = [];
    });
    const downloads = createDownloads((access, end) => {
      watched.push(access);
      endings.push(end);
      return () => void watched.splice(watched.indexOf(access), 1);
    });
    async function* endless() {
      for (;;) yield 'x';
    }

    it('ends, and frees its slot', async () => {
      const bodies = [await downloads.stream(anybody, async () => endless())];
      bodies.push(await downloads.stream(anybody, async () => endless()));
      const third = downloads.stream(anybody, async () => endless());
      expect(watched).to.have.length(3);
      endings[0]?.();
      await once(bodies[0]!, 'close');
      bodies.push(await third);
      expect(watched).to.have.length(2);
      for (const body of bodies) body.destroy();
      await eventually(() => expect(watched).to.deep.equal([]));
    });

    it('is not made if it is lost while it waits for its turn', async () => {
      const bodies = [await downloads.stream(anybody, async () => endless())];
      bodies.push(await downloads.stream(anybody, async () => endless()));
      let isMade = false;
      const third = downloads.stream(anybody, async () => {
        isMade = true;
        return endless();
      });
      endings[2]?.();
      const refused = await third.then(
        () => false,
        () => true,
      );
      for (const body of bodies) body.destroy();
      expect([refused, isMade]).to.deep.equal([true, false]);
      await eventually(() => expect(watched).to.deep.equal([]));
    });
  });
});
