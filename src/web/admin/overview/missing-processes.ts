import { hourMs } from '../../../runtime/units.ts';
import type { ReportedProcess } from '../../../store/process-reports.ts';

/**
 * Whether a process that stopped reporting needs attention: for an hour, unless another one was started in its place on the
 * same machine.
 */
export function isMissing(process: ReportedProcess, all: ReportedProcess[], now: Date): boolean {
  const { kind, host, status, reportedAt } = process;
  if (status !== 'silent' || now.getTime() - reportedAt.getTime() > hourMs) return false;
  return !all.some(
    (other) =>
      other.kind === kind &&
      other.host === host &&
      other.status === 'running' &&
      other.startedAt > reportedAt,
  );
}
