import { dayMs } from '../runtime/units.ts';

let lastDay = Number.NaN;
let lastText = '';

/** The UTC day as in a DATE: `2026-11-15`. Remembers the last one, because it is called for every scan. */
export function utcDay(moment: Date): string {
  const day = Math.floor(moment.getTime() / dayMs);
  if (day !== lastDay) {
    lastText = moment.toISOString().slice(0, 10);
    lastDay = day;
  }
  return lastText;
}
