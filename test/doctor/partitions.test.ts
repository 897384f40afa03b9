import { expect } from 'chai';
import { assessPartitions } from '../../src/doctor/postgres.ts';
import { dayMs } from '../../src/runtime/units.ts';

describe('The doctor on the partitions of scans', () => {
  const now = Date.parse('2026-11-15T12:00:00Z');
  const inDays = (days: number) => new Date(now + days * dayMs);

  it('is content while they reach far enough, and says from when raw scans are kept', () => {
    expect(assessPartitions(inDays(20), undefined, now)).to.include({
      state: 'ok',
      finding: 'Scans have partitions until 2026-12-04.',
    });
    expect(assessPartitions(inDays(90), new Date('2026-05-01'), now).finding).to.include(
      'Raw scans are kept from 2026-05-01.',
    );
  });

  it('warns when they end soon, and fails when they have ended', () => {
    expect(assessPartitions(inDays(19), undefined, now).state).to.equal('warning');
    expect(assessPartitions(inDays(0), undefined, now).state).to.equal('failure');
  });
});
