import { expect } from 'chai';
import { eventually } from '../support/eventually.ts';
import { mergeBatches } from '../../workers/merge-batches.ts';

/** A run that ends when the test says so. */
interface Run {
  items: string[];
  end(left?: string[]): void;
  fail(error: Error): void;
}

describe('Batches that come at the same time', () => {
  let runs: Run[];
  const create = (maxItems = 10, maxRunning = 1, pauseMs = 0) =>
    mergeBatches<string>(
      (items) =>
        new Promise((resolve, reject) => {
          runs.push({ items, end: (left = []) => resolve(left), fail: reject });
        }),
      { maxItems, maxRunning, pauseMs },
    );
  beforeEach(() => {
    runs = [];
  });
  const sent = () => runs.map(({ items }) => items.join(''));
  const settle = () => new Promise(setImmediate);

  it('run at once when nothing runs, and together when something does', async () => {
    const merge = create();
    const results = [merge(['a']), merge(['b']), merge(['c', 'd'])];
    expect(sent()).to.deep.equal(['a']);
    runs[0]?.end();
    await settle();
    expect(sent()).to.deep.equal(['a', 'bcd']);
    runs[1]?.end();
    expect(await Promise.all(results)).to.deep.equal([[], [], []]);
  });

  it('run as many at a time as allowed', async () => {
    const merge = create(10, 2);
    void merge(['a']);
    void merge(['b']);
    void merge(['c']);
    expect(sent()).to.deep.equal(['a', 'b']);
    runs[1]?.end();
    await settle();
    expect(sent()).to.deep.equal(['a', 'b', 'c']);
  });

  it('gather for a while after one has started, and run together then', async () => {
    const merge = create(10, 2, 50);
    const startedAt = performance.now();
    for (const item of ['a', 'b', 'c']) void merge([item]);
    expect(sent()).to.deep.equal(['a']);
    await eventually(() => expect(sent()).to.deep.equal(['a', 'bc']));
    expect(performance.now() - startedAt).to.be.at.least(49);
  });

  it('do not grow beyond the limit, except for a single large one', async () => {
    const merge = create(3);
    for (const batch of ['a', 'bb', 'c', 'ddddd', 'e']) void merge([...batch]);
    for (let run = 0; run < 4; run += 1) {
      runs[run]?.end();
      await settle();
    }
    expect(sent()).to.deep.equal(['a', 'bbc', 'ddddd', 'e']);
  });

  it('give each caller the items of its own that are left over', async () => {
    const merge = create();
    void merge(['first']);
    const results = [merge(['a', 'b']), merge(['c']), merge(['d', 'e'])];
    runs[0]?.end();
    await settle();
    runs[1]?.end(['b', 'd', 'e']);
    expect(await Promise.all(results)).to.deep.equal([['b'], [], ['d', 'e']]);
  });

  it('all fail when their run fails, and the next ones run', async () => {
    const merge = create();
    const failed = Promise.allSettled([merge(['a'])]);
    const next = merge(['b']);
    runs[0]?.fail(new Error('down'));
    expect((await failed)[0]?.status).to.equal('rejected');
    runs[1]?.end();
    expect(await next).to.deep.equal([]);
  });

  it('are half as large after a run failed, because it may have taken too long, and grow again', async () => {
    const merge = create(4);
    const send = () => {
      for (const item of 'abcdefgh') merge([item]).catch(() => undefined);
    };
    send();
    const sizes: number[] = [];
    for (const outcome of ['end', 'fail', 'fail', 'fail', 'end', 'end'] as const) {
      const run = runs.at(-1);
      sizes.push(run?.items.length ?? 0);
      if (outcome === 'fail') run?.fail(new Error('timeout'));
      else run?.end();
      await settle();
      if (outcome === 'fail') send();
    }
    expect(sizes).to.deep.equal([1, 4, 2, 1, 1, 2]);
    expect(runs.at(-1)?.items.length).to.equal(4);
  });
});
