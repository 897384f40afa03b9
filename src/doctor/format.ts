import { bytesPerMb } from '../runtime/units.ts';

const bytesPerGb = 1024 * bytesPerMb;

export function formatBytes(bytes: number): string {
  if (bytes >= bytesPerGb) return `${(bytes / bytesPerGb).toFixed(1)} GB`;
  if (bytes >= bytesPerMb) return `${Math.round(bytes / bytesPerMb)} MB`;
  return `${Math.ceil(bytes / 1024)} kB`;
}

/** Roughly, in the largest unit of which there are at least two: "90 minutes", "3 days". */
export function formatDuration(ms: number): string {
  const seconds = Math.round(ms / 1000);
  for (const [unit, length] of [
    ['days', 86_400],
    ['hours', 3_600],
    ['minutes', 60],
  ] as const) {
    if (seconds >= 2 * length) return `${Math.floor(seconds / length)} ${unit}`;
  }
  return pluralize(seconds, 'second');
}

/** "1 job", "2 jobs". */
export function pluralize(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

/** For quoting a message at the end of our own sentence: some end with a period, some do not. */
export function withoutPeriod(text: string): string {
  return text.replace(/\.$/, '');
}
