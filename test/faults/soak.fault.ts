import { expect } from 'chai';
import { fuzzSeed } from '../support/fuzz-seed.ts';
import { soakChart } from '../soak/chart.ts';
import { faultKinds } from '../soak/faults.ts';
import { soakReport } from '../soak/report.ts';
import { soak } from '../soak/soak.ts';

const everySeconds = 6;

// `npm run soak` makes more of them, for longer.
describe('A short soak', () => {
  it('makes each kind of fault under load, one after the other, and counts every redirect once', async function () {
    this.timeout(900_000);
    const result = await soak({
      seed: fuzzSeed,
      minutes: (faultKinds.length * everySeconds) / 60,
      everySeconds,
      perSecond: 100,
      onProgress: (line) => console.log(`      ${line}`),
    });
    const failed = result.checks.filter(({ problems }) => problems.length > 0);
    expect(failed).to.deep.equal([]);
    expect(result.total.redirects).to.be.above(50 * result.seconds);
    const made = new Set(result.faults.map(({ name }) => name));
    expect(made.size + result.impossible.length).to.equal(faultKinds.length);
    expect(soakChart(result).match(/class="fault /g)).to.have.length(result.faults.length);
    expect(soakReport(result, 'soak.svg')).to.include('every redirect was counted once');
    for (const { name, reason } of result.impossible)
      console.log(`      (not made: ${name}, because ${reason})`);
    if (result.impossible.length > 0) this.skip();
  });
});
