import { expect } from 'chai';
import { createTokenBuckets } from '../../src/accounts/token-buckets.ts';

describe('A budget of requests', () => {
  let now = 0;
  beforeEach(() => {
    now = 0;
  });

  it('lets a caller spend all of an hour at once, and then one as each comes back', () => {
    const budget = createTokenBuckets(60, () => now);
    for (let request = 0; request < 60; request += 1) expect(budget.take('a')).to.equal(0);
    expect(budget.take('a')).to.equal(60_000);
    now += 59_999;
    expect(budget.take('a')).to.be.above(0);
    now += 2;
    expect(budget.take('a')).to.equal(0);
    expect(budget.take('a')).to.be.above(0);
  });

  it('is one of its own for each caller', () => {
    const budget = createTokenBuckets(1, () => now);
    expect(budget.take('a')).to.equal(0);
    expect(budget.take('a')).to.be.above(0);
    expect(budget.take('b')).to.equal(0);
  });

  it('is whole again after an hour, and no larger than that after a day', () => {
    const budget = createTokenBuckets(2, () => now);
    for (const wait of [3_600_000, 24 * 3_600_000]) {
      expect([budget.take('a'), budget.take('a')]).to.deep.equal([0, 0]);
      expect(budget.take('a')).to.be.above(0);
      now += wait;
    }
    expect([budget.take('a'), budget.take('a')]).to.deep.equal([0, 0]);
    expect(budget.take('a')).to.be.above(0);
  });
});
