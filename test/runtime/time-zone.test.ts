import { expect } from 'chai';
import { addDays, isTimeZone, localTime, startOfDay, timeZones } from '../../src/runtime/time-zone.ts';

describe('Time zones', () => {
  it('tell date, hour and weekday there', () => {
    const moment = new Date('2026-11-15T23:30:00Z');
    expect(localTime(moment, null)).to.deep.equal({ date: '2026-11-15', hour: 23, weekday: 6 });
    expect(localTime(moment, 'Asia/Kolkata')).to.deep.equal({ date: '2026-11-16', hour: 5, weekday: 0 });
    expect(localTime(moment, 'America/New_York')).to.deep.equal({ date: '2026-11-15', hour: 18, weekday: 6 });
    expect(localTime(moment, 'Mars/Olympus_Mons').hour).to.equal(23);
  });

  it('tell when a day begins, also where clocks change, even at midnight', () => {
    const starts: [string, string, string][] = [
      ['2026-11-16', 'UTC', '2026-11-16T00:00:00.000Z'],
      ['2026-03-29', 'Europe/Berlin', '2026-03-28T23:00:00.000Z'],
      ['2026-03-30', 'Europe/Berlin', '2026-03-29T22:00:00.000Z'],
      ['2026-10-26', 'Europe/Berlin', '2026-10-25T23:00:00.000Z'],
      ['2026-11-16', 'Pacific/Kiritimati', '2026-11-15T10:00:00.000Z'],
      ['2026-11-16', 'Asia/Kathmandu', '2026-11-15T18:15:00.000Z'],
      // There is no midnight on this day: 00:00 becomes 01:00.
      ['2024-04-26', 'Africa/Cairo', '2024-04-25T22:00:00.000Z'],
    ];
    for (const [date, zone, expected] of starts)
      expect(startOfDay(date, zone).toISOString(), `${date} ${zone}`).to.equal(expected);
  });

  it('begin each day when the one before ends, in every zone', () => {
    for (const zone of timeZones)
      for (let date = '2026-03-25'; date < '2026-04-07'; date = addDays(date, 1)) {
        const start = startOfDay(date, zone);
        expect(localTime(start, zone).date, zone).to.equal(date);
        expect(localTime(new Date(start.getTime() - 1), zone).date, zone).to.equal(addDays(date, -1));
      }
  });

  it('are those that are known here', () => {
    expect(timeZones[0]).to.equal('UTC');
    expect(isTimeZone('Europe/Berlin')).to.equal(true);
    expect(isTimeZone('Europe/Atlantis')).to.equal(false);
    expect(isTimeZone('')).to.equal(false);
  });
});
