import { codesWithScans, compareSpan, countedSpans } from '../scans/counters.ts';
import { listPartitions, type Partition, readNewestScans } from '../scans/partitions.ts';
import { countDeletedCodes } from '../scans/purge-deleted-codes.ts';
import type { Database } from '../store/database.ts';
import { findLateSequences } from '../store/sequences.ts';
import { type Finding, findingsFor } from './finding.ts';
import { formatDuration, pluralize } from './format.ts';
import { checkSchema } from './postgres.ts';

const { ok, warning, failure } = findingsFor('data');

/** Codes whose counters are compared, and for how long at most. */
const sampleCodes = 50;
const sampleMs = 5_000;

/** Whether the data is complete and fits together, as far as a short look can tell. */
export async function checkData(db: Database, nowMs: () => number): Promise<Finding[]> {
  const schema = await checkSchema(db, nowMs);
  const findings = schema.map((finding) => ({ ...finding, subject: 'data' as const }));
  if (schema.some(({ state }) => state === 'failure')) return findings;
  const { newestAt, codeIds } = await readNewestScans(db, sampleCodes);
  return [
    ...findings,
    ...assessGaps(await listPartitions(db)),
    assessNewest(newestAt, nowMs()),
    await checkCounters(db, codeIds),
    ...(await checkSequences(db)),
    assessDeleted(await countDeletedCodes(db)),
  ];
}

export function assessGaps(partitions: Partition[]): Finding[] {
  const gaps = partitions.flatMap(({ to }, index) => {
    const next = partitions[index + 1]?.from;
    return next && next > to ? [`${day(to)} to ${day(next)}`] : [];
  });
  if (gaps.length === 0) return [];
  return [
    failure(
      `There are no partitions for ${gaps.join(', ')}: scans of that time become dead scans.`,
      'Run `node dist/src/cli.js migrate`, then `qrelay scans retry`.',
    ),
  ];
}

function day(time: Date): string {
  return time.toISOString().slice(0, 10);
}

function assessNewest(newestAt: Date | undefined, nowMs: number): Finding {
  if (!newestAt) return ok('No scan has been recorded yet.');
  const age = formatDuration(Math.max(0, nowMs - newestAt.getTime()));
  return ok(`The newest recorded scan is ${age} old (${newestAt.toISOString()}).`);
}

/** The last days of the codes that were scanned last: what a restore or a crash may have cut. */
async function checkCounters(db: Database, scannedLast: string[]): Promise<Finding> {
  const codeIds = scannedLast.length > 0 ? scannedLast : await codesWithScans(db, undefined, sampleCodes);
  const endsAt = performance.now() + sampleMs;
  let [codes, days, wrong] = [0, 0, 0];
  for (const codeId of codeIds) {
    if (performance.now() > endsAt) break;
    const span = (await countedSpans(db, codeId)).at(-1);
    if (!span) continue;
    wrong += (await compareSpan(db, codeId, span)).length;
    codes += 1;
    days += span.days;
  }
  const sample = `a sample of ${pluralize(codes, 'code')} and ${pluralize(days, 'day')}`;
  if (codes === 0) return ok('There are no counters to compare.');
  if (wrong === 0)
    return ok(`The counters agree with the scans in ${sample}. \`qrelay counters verify\` compares all.`);
  return failure(
    `${pluralize(wrong, 'counter')} ${wrong === 1 ? 'differs' : 'differ'} from the scans in ${sample}: analytics are wrong.`,
    'Run `qrelay counters rebuild`; scans may arrive meanwhile.',
  );
}

async function checkSequences(db: Database): Promise<Finding[]> {
  const late = await findLateSequences(db);
  if (late.length === 0) return [ok('All sequences are ahead of their tables.')];
  return late.map(({ table, column }) =>
    failure(
      `The sequence of ${table}.${column} is behind the table: inserts fail.`,
      `Run \`SELECT setval(pg_get_serial_sequence('${table}', '${column}'), max(${column})) FROM ${table}\`.`,
    ),
  );
}

function assessDeleted(waiting: number): Finding {
  if (waiting === 0) return ok('No deleted code waits to be purged.');
  return warning(
    `${pluralize(waiting, 'deleted code')} ${waiting === 1 ? 'waits' : 'wait'} to be purged.`,
    'Workers do it every 10 seconds. If the number stays, read their log.',
  );
}
