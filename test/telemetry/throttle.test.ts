import { expect } from 'chai';
import { throttle } from '../../src/telemetry/throttle.ts';

describe('Throttled errors', () => {
  let told: [string, number][];
  let due: { work: () => void; ms: number }[];
  let trouble: ReturnType<typeof throttle>;

  beforeEach(() => {
    told = [];
    due = [];
    trouble = throttle((err, count) => told.push([String(err), count]), {
      pauseMs: 10_000,
      schedule: (work, ms) => due.push({ work, ms }),
    });
  });

  function passPause(): void {
    const [pause, ...more] = due.splice(0);
    expect(more).to.deep.equal([]);
    expect(pause?.ms).to.equal(10_000);
    pause?.work();
  }

  it('are reported at once the first time', () => {
    trouble('refused');
    expect(told).to.deep.equal([['refused', 1]]);
  });

  it('are then reported once per pause, with the latest error and the count', () => {
    for (let number = 1; number <= 2_500; number += 1) trouble(`refused ${number}`, 3);
    expect(told).to.deep.equal([['refused 1', 3]]);
    passPause();
    expect(told.slice(1)).to.deep.equal([['refused 2500', 3 * 2_499]]);
    trouble('full', 7);
    expect(told).to.have.length(2);
    passPause();
    expect(told.slice(2)).to.deep.equal([['full', 7]]);
  });

  it('are reported at once again after a pause without errors', () => {
    trouble('refused');
    passPause();
    expect(told).to.have.length(1);
    expect(due).to.deep.equal([]);
    trouble('full');
    expect(told).to.deep.equal([
      ['refused', 1],
      ['full', 1],
    ]);
  });

  it('do not keep a process alive', () => {
    const before = process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
    throttle(() => undefined)('refused');
    const after = process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
    expect(after).to.equal(before);
  });
});
