import { dayMs } from '../runtime/units.ts';
import { compareSpan, sampleScannedCodes } from '../scans/counters.ts';
import { type Database, plainMessage } from '../store/database.ts';
import { type Finding, findingsFor } from './finding.ts';
import { pluralize, withoutPeriod } from './format.ts';

const { ok, warning } = findingsFor('queue');

const sampleSize = 10;
const budgetMs = 3_000;

/** Compares what was counted yesterday and today with the scans that are recorded, for a few codes. */
export async function checkCounters(db: Database, nowMs: number): Promise<Finding> {
  const day = (ms: number) => new Date(ms).toISOString().slice(0, 10);
  const span = { first: day(nowMs - dayMs), last: day(nowMs), days: 2 };
  const startedAt = performance.now();
  let compared = 0;
  const wrong: string[] = [];
  try {
    for (const codeId of await sampleScannedCodes(db, span.first, sampleSize)) {
      if (performance.now() - startedAt > budgetMs) break;
      compared += 1;
      if ((await compareSpan(db, codeId, span)).length > 0) wrong.push(codeId);
    }
  } catch (error) {
    return warning(
      `Counters could not be compared with the recorded scans: ${withoutPeriod(plainMessage(error as Error))}.`,
      'Run `qrelay counters verify`, which takes the time that it needs.',
    );
  }
  return assessCounters(compared, wrong);
}

function assessCounters(compared: number, wrong: string[]): Finding {
  if (compared === 0) return ok('No scans since yesterday whose counters could be compared.');
  if (wrong.length === 0)
    return ok(`Counted and recorded scans agree (${pluralize(compared, 'code')} compared, since yesterday).`);
  return warning(
    `Counted and recorded scans differ for ${wrong.length} of ${pluralize(compared, 'code')}, such as ${wrong[0]}: analytics are wrong.`,
    'Run `qrelay counters verify` to see every difference, and `qrelay counters rebuild` to correct the counters.',
  );
}
