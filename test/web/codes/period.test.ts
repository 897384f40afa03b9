import { expect } from 'chai';
import { namedPeriods, readPeriod } from '../../../src/web/codes/detail/period.ts';

const now = new Date('2026-03-15T10:00:00Z');
const createdAt = new Date('2025-12-30T23:00:00Z');
const read = (query: string, created = createdAt) =>
  readPeriod(Object.fromEntries(new URLSearchParams(query)), created, now);
const span = (query: string, created?: Date) => {
  const { dates, endsToday, query: own } = read(query, created);
  return [dates[0], dates.at(-1), dates.length, endsToday, own];
};

describe('The period of the charts', () => {
  it('is 30 days, or another number that the page offers', () => {
    const usual = ['2026-02-14', '2026-03-15', 30, true, 'days=30'];
    for (const query of [
      '',
      'days=30',
      'days=8',
      'days=30.0',
      'period=week',
      'from=2026-01-01',
      'from=x&to=y',
    ])
      expect(span(query), query).to.deep.equal(usual);
    expect(span('days=7')).to.deep.equal(['2026-03-09', '2026-03-15', 7, true, 'days=7']);
  });

  it('has a name, and knows how long months are', () => {
    expect(span('period=today')).to.deep.equal(['2026-03-15', '2026-03-15', 1, true, 'period=today']);
    expect(span('period=month')).to.deep.equal(['2026-03-01', '2026-03-15', 15, true, 'period=month']);
    expect(span('period=last-month')).to.deep.equal([
      '2026-02-01',
      '2026-02-28',
      28,
      false,
      'period=last-month',
    ]);
    expect(span('period=year')).to.deep.equal(['2026-01-01', '2026-03-15', 74, true, 'period=year']);
    expect(span('period=all')).to.deep.equal(['2025-12-30', '2026-03-15', 76, true, 'period=all']);
    expect(namedPeriods(createdAt, now).map(({ name }) => name)).to.deep.equal([
      'Today',
      'This month',
      'Last month',
      'This year',
      'All since creation',
    ]);
  });

  it('is from one day to another, in either order, up to today, and of ten years at most', () => {
    const own = ['2026-01-05', '2026-01-31', 27, false, 'from=2026-01-05&to=2026-01-31'];
    expect(span('from=2026-01-05&to=2026-01-31')).to.deep.equal(own);
    expect(span('from=2026-01-31&to=2026-01-05')).to.deep.equal(own);
    expect(span('from=2026-03-14&to=2030-01-01').slice(0, 4)).to.deep.equal([
      '2026-03-14',
      '2026-03-15',
      2,
      true,
    ]);
    expect(span('from=0001-01-01&to=2026-03-15')[2]).to.equal(3_660);
    expect(span('period=all', new Date('2001-01-01'))[2]).to.equal(3_660);
    for (const query of ['from=2026-02-30&to=2026-03-01', 'from=2030-01-01&to=2031-01-01'])
      expect(read(query).query, query).to.equal('days=30');
  });
});
