import { expect } from 'chai';
import { createTokenBuckets } from '../../src/runtime/token-buckets.ts';

describe('A token bucket', () => {
  let now = 0;
  beforeEach(() => {
    now = 0;
  });

  it('allows all requests of an hour at once, and then one for each refilled token', () => {
    const buckets = createTokenBuckets(60, () => now);
    for (let request = 0; request < 60; request += 1) expect(buckets.take('a')).to.equal(0);
    expect(buckets.take('a')).to.equal(60_000);
    now += 59_999;
    expect(buckets.take('a')).to.be.above(0);
    now += 2;
    expect(buckets.take('a')).to.equal(0);
    expect(buckets.take('a')).to.be.above(0);
  });

  it('is separate for each caller', () => {
    const buckets = createTokenBuckets(1, () => now);
    expect(buckets.take('a')).to.equal(0);
    expect(buckets.take('a')).to.be.above(0);
    expect(buckets.take('b')).to.equal(0);
  });

  it('is full again after an hour, and no fuller after a day', () => {
    const buckets = createTokenBuckets(2, () => now);
    for (const wait of [3_600_000, 24 * 3_600_000]) {
      expect([buckets.take('a'), buckets.take('a')]).to.deep.equal([0, 0]);
      expect(buckets.take('a')).to.be.above(0);
      now += wait;
    }
    expect([buckets.take('a'), buckets.take('a')]).to.deep.equal([0, 0]);
    expect(buckets.take('a')).to.be.above(0);
  });

  it('takes back what turned out to cost nothing, and gets no fuller than full', () => {
    const buckets = createTokenBuckets(3_600, () => now, 2);
    expect([buckets.take('a'), buckets.take('a')]).to.deep.equal([0, 0]);
    buckets.giveBack('a');
    expect([buckets.take('a'), buckets.take('a')]).to.deep.equal([0, 1_000]);
    now += 10_000;
    expect(buckets.take('a')).to.equal(0);
    for (let times = 0; times < 5; times += 1) buckets.giveBack('a');
    expect([buckets.take('a'), buckets.take('a')]).to.deep.equal([0, 0]);
    expect(buckets.take('a')).to.be.above(0);
    buckets.giveBack('never seen');
    expect([buckets.take('never seen'), buckets.take('never seen')]).to.deep.equal([0, 0]);
    expect(buckets.take('never seen')).to.be.above(0);
  });
});
