import { expect } from 'chai';
import { BusyError } from '../../src/errors.ts';
import { createFairScheduler, type FairScheduler } from '../../src/runtime/fair-scheduler.ts';

/** Work of keys that runs until the test ends it. */
function workOn(scheduler: FairScheduler) {
  const started: string[] = [];
  const refused: string[] = [];
  const ends = new Map<string, () => void>();
  return {
    started,
    refused,
    /** `a1`: the first work of the key `a`. */
    add(name: string, signal?: AbortSignal): void {
      const work = () => {
        started.push(name);
        return new Promise<void>((resolve) => ends.set(name, resolve));
      };
      scheduler.run({ key: name[0] as string, signal }, work).catch((error: unknown) => {
        expect(error).to.be.instanceOf(BusyError);
        refused.push(name);
      });
    },
    async end(name: string): Promise<void> {
      ends.get(name)?.();
      await settled();
    },
  };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

describe('The scheduler of slow work', () => {
  it('lets keys take turns, however much one of them asks for', async () => {
    const work = workOn(createFairScheduler({ slots: 1, waitingPerKey: 10 }));
    for (const name of ['a1', 'a2', 'a3', 'b1', 'b2', 'c1']) work.add(name);
    for (const name of ['a1', 'b1', 'c1', 'a2', 'b2']) {
      await settled();
      expect(work.started.at(-1)).to.equal(name);
      await work.end(name);
    }
    expect(work.started.at(-1)).to.equal('a3');
  });

  it('runs as many of one key as it may have, and leaves free slots to others', async () => {
    const work = workOn(createFairScheduler({ slots: 4, slotsPerKey: 2, waitingPerKey: 10 }));
    for (const name of ['a1', 'a2', 'a3', 'b1', 'c1', 'd1']) work.add(name);
    await settled();
    expect(work.started).to.deep.equal(['a1', 'a2', 'b1', 'c1']);
    await work.end('c1');
    expect(work.started.slice(4)).to.deep.equal(['d1']);
    await work.end('a1');
    expect(work.started.slice(5)).to.deep.equal(['a3']);
  });

  it('says that a slot is wanted while another key that has none waits', async () => {
    const scheduler = createFairScheduler({ slots: 2, slotsPerKey: 2, waitingPerKey: 10 });
    const work = workOn(scheduler);
    for (const name of ['a1', 'b1', 'a2', 'b2']) work.add(name);
    await settled();
    expect(['a', 'b'].map(scheduler.isWanted)).to.deep.equal([false, false]);
    work.add('c1');
    await settled();
    expect(['a', 'b', 'c'].map(scheduler.isWanted)).to.deep.equal([true, true, false]);
  });

  it('keeps reserved slots for keys that have nothing running', async () => {
    const options = { slots: 4, slotsPerKey: 4, reservedSlots: 2, waitingPerKey: 10 };
    const work = workOn(createFairScheduler(options));
    for (const name of ['a1', 'a2', 'a3', 'b1', 'b2', 'c1']) work.add(name);
    await settled();
    expect(work.started).to.deep.equal(['a1', 'a2', 'b1', 'c1']);
  });

  it('refuses what is too much of one key, and nothing of the others', async () => {
    const work = workOn(createFairScheduler({ slots: 1, waitingPerKey: 2 }));
    for (const name of ['a1', 'a2', 'a3', 'a4', 'b1']) work.add(name);
    await settled();
    expect(work.refused).to.deep.equal(['a4']);
    await work.end('a1');
    expect(work.started).to.deep.equal(['a1', 'b1']);
  });

  it('refuses the newest of the key with the most when too much waits', async () => {
    const work = workOn(createFairScheduler({ slots: 1, waitingPerKey: 10, waiting: 3 }));
    for (const name of ['a1', 'a2', 'a3', 'a4', 'b1', 'c1']) work.add(name);
    await settled();
    expect(work.refused).to.have.members(['a3', 'a4']);
    // All have one now, so the last one to come is refused.
    work.add('d1');
    await settled();
    expect(work.refused.at(-1)).to.equal('d1');
  });

  it('says beforehand what it would refuse', async () => {
    const scheduler = createFairScheduler({ slots: 1, waitingPerKey: 1 });
    const work = workOn(scheduler);
    expect(scheduler.isFull('a')).to.equal(false);
    for (const name of ['a1', 'a2']) work.add(name);
    await settled();
    expect([scheduler.isFull('a'), scheduler.isFull('b')]).to.deep.equal([true, false]);
  });

  it('drops what waits when its client disconnects', async () => {
    const work = workOn(createFairScheduler({ slots: 1, waitingPerKey: 10 }));
    const gone = new AbortController();
    work.add('a1');
    work.add('b1', gone.signal);
    work.add('c1');
    await settled();
    gone.abort();
    await work.end('a1');
    expect([work.started, work.refused]).to.deep.equal([['a1', 'c1'], ['b1']]);
    work.add('d1', gone.signal);
    await settled();
    expect(work.refused).to.deep.equal(['b1', 'd1']);
  });

  it('refuses what has waited for too long', async () => {
    const scheduler = createFairScheduler({ slots: 1, waitingPerKey: 10, maxWaitMs: 1, message: 'Later.' });
    const release = await scheduler.acquire({ key: 'a' });
    const refusal: unknown = await scheduler.acquire({ key: 'b' }).catch((error: unknown) => error);
    expect(refusal).to.include({ name: 'BusyError', message: 'Later.', status: 503 });
    release();
    (await scheduler.acquire({ key: 'b' }))();
  });

  it('goes on after work that fails, and after a slot that is released twice', async () => {
    const scheduler = createFairScheduler({ slots: 1, waitingPerKey: 10 });
    const failed: unknown = await scheduler
      .run({ key: 'a' }, () => Promise.reject(new Error('broken')))
      .catch((error: unknown) => error);
    expect(failed).to.be.an('error').with.property('message', 'broken');
    const release = await scheduler.acquire({ key: 'a' });
    release();
    release();
    const work = workOn(scheduler);
    work.add('a1');
    work.add('a2');
    await settled();
    expect(work.started).to.deep.equal(['a1']);
  });

  it('gives a slot that is released twice to one other, not to two', async () => {
    const scheduler = createFairScheduler({ slots: 1, waitingPerKey: 10 });
    const release = await scheduler.acquire({ key: 'a' });
    const work = workOn(scheduler);
    for (const name of ['b1', 'c1']) work.add(name);
    release();
    release();
    await settled();
    expect(work.started).to.deep.equal(['b1']);
  });

  it('has as much room for what waits as before, after others have waited, were refused or left', async () => {
    const scheduler = createFairScheduler({ slots: 1, waitingPerKey: 10, waiting: 2 });
    for (let round = 1; round <= 3; round += 1) {
      const work = workOn(scheduler);
      const [leaving, staying] = [new AbortController(), new AbortController()];
      work.add('a1');
      work.add('b1', leaving.signal);
      work.add('c1', staying.signal);
      work.add('d1');
      await settled();
      expect(work.refused, `round ${round}`).to.deep.equal(['d1']);
      leaving.abort();
      await settled();
      work.add('e1');
      await settled();
      expect(work.refused, `round ${round}`).to.deep.equal(['d1', 'b1']);
      for (const name of ['a1', 'c1', 'e1']) await work.end(name);
      expect(work.started).to.deep.equal(['a1', 'c1', 'e1']);
      // A client that leaves after its work has nothing to lose.
      staying.abort();
      await settled();
      expect(work.refused).to.have.length(2);
    }
  });
});
