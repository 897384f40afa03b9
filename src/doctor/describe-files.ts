import type { SpoolFileState } from '../queue/spool-files.ts';
import { formatBytes, formatDuration, pluralize } from './format.ts';

export function bytesByOwner(files: SpoolFileState[]): Map<string, number> {
  const sums = new Map<string, number>();
  for (const { owner, bytes } of files) sums.set(owner, (sums.get(owner) ?? 0) + bytes);
  return sums;
}

export function agree(files: SpoolFileState[], verb: string): string {
  return files.length === 1 ? `${verb}s` : verb;
}

export function describeFiles(files: SpoolFileState[], nowMs: number): string {
  const bytes = files.reduce((sum, file) => sum + file.bytes, 0);
  const oldestMs = Math.max(0, ...files.map(({ createdAt }) => nowMs - createdAt.getTime()));
  return `${pluralize(files.length, 'file')} (${formatBytes(bytes)}, the oldest ${formatDuration(oldestMs)} old)`;
}
