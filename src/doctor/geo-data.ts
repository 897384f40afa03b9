import { readGeoDataDate } from '../scans/geo-data.ts';
import { type Finding, findingsOn } from './finding.ts';
import { count } from './in-words.ts';

const { ok, warning } = findingsOn('geo data');

const dayMs = 86_400_000;
const oldAfterDays = 365;
const renew =
  'Get a free licence key at maxmind.com, run `node node_modules/geoip-lite/scripts/updatedb.js license_key=YOUR_KEY` (again after each `npm ci`, which brings the old data back), and restart the workers.';

export function examineGeoData(nowMs: () => number): Finding[] {
  return [judgeGeoData(readGeoDataDate(), nowMs())];
}

export function judgeGeoData(madeAt: Date | undefined, nowMs: number): Finding {
  if (!madeAt) return warning('The map of addresses to places does not tell its age.', renew);
  const days = Math.max(0, Math.floor((nowMs - madeAt.getTime()) / dayMs));
  const sentence = `The map of addresses to places is of ${madeAt.toISOString().slice(0, 10)}, ${count(days, 'day')} old`;
  return days > oldAfterDays
    ? warning(`${sentence}: more and more scans get the wrong place.`, renew)
    : ok(`${sentence}.`);
}
