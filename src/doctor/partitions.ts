import { dayMs } from '../runtime/units.ts';
import { listPartitions, type Partition, readHorizon } from '../scans/partitions.ts';
import type { Database } from '../store/database.ts';
import { type Finding, findingsFor } from './finding.ts';

const { ok, warning, failure } = findingsFor('postgres');

/** Workers create partitions months ahead, so this little time left means that they have failed to for weeks. */
const warnBeforeEndMs = 20 * dayMs;
const remedy =
  'Run `node dist/src/cli.js migrate`, and read the log of the workers to see why they do not create them.';

export async function checkPartitions(db: Database, nowMs: number): Promise<Finding[]> {
  const partitions = await listPartitions(db);
  const { rows } = (await db.raw("SELECT to_regclass('scans_id') IS NOT NULL AS unfinished")) as {
    rows: [{ unfinished: boolean }];
  };
  const findings = [
    assessPartitions(partitions.at(-1)?.to ?? new Date(0), await readHorizon(db), nowMs),
    ...assessGaps(partitions, nowMs),
  ];
  if (rows[0].unfinished) {
    findings.push(
      warning(
        'An index is kept for workers of the previous release; it costs space and time for each scan.',
        'When no process of that release runs any more, run `node dist/src/cli.js migrate --finish`.',
      ),
    );
  }
  return findings;
}

export function assessPartitions(end: Date, horizon: Date | undefined, nowMs: number): Finding {
  const leftMs = end.getTime() - nowMs;
  const lastDay = day(end.getTime() - dayMs);
  if (leftMs <= 0) return failure(`Scans after ${lastDay} have no partition and cannot be recorded.`, remedy);
  if (leftMs < warnBeforeEndMs) return warning(`Scans have partitions only until ${lastDay}.`, remedy);
  const since = horizon ? ` Raw scans are kept from ${day(horizon.getTime())}.` : '';
  return ok(`Scans have partitions until ${lastDay}.${since}`);
}

/** Time without a partition before one of them. Scans that arrive late are recorded in their month, for a week. */
export function assessGaps(partitions: readonly Partition[], nowMs: number): Finding[] {
  const recent = nowMs - 7 * dayMs;
  return partitions.flatMap(({ from }, index) => {
    const end = partitions[index - 1]?.to.getTime() ?? recent;
    if (!from || from.getTime() <= Math.max(end, recent)) return [];
    const last = day(from.getTime() - dayMs);
    return [failure(`Scans from ${day(end)} to ${last} have no partition and cannot be recorded.`, remedy)];
  });
}

function day(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}
