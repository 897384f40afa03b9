import { dayMs } from '../runtime/units.ts';
import { readGeoDataDate } from '../scans/geo-data.ts';
import { type Finding, findingsFor } from './finding.ts';
import { pluralize } from './format.ts';

const { ok, warning } = findingsFor('geo data');

const maxAgeDays = 365;
const updateData =
  'Get a free license key at maxmind.com, run `node node_modules/geoip-lite/scripts/updatedb.js license_key=YOUR_KEY` (again after each `npm ci`, which restores the old data), and restart the workers.';

export function checkGeoData(nowMs: () => number): Finding[] {
  return [assessGeoData(readGeoDataDate(), nowMs())];
}

export function assessGeoData(madeAt: Date | undefined, nowMs: number): Finding {
  if (!madeAt) return warning('The age of the geolocation data is unknown.', updateData);
  const days = Math.max(0, Math.floor((nowMs - madeAt.getTime()) / dayMs));
  const message = `The geolocation data is from ${madeAt.toISOString().slice(0, 10)}, ${pluralize(days, 'day')} old`;
  return days > maxAgeDays
    ? warning(`${message}: more and more scans get the wrong location.`, updateData)
    : ok(`${message}.`);
}
