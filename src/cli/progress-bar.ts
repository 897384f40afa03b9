import { SingleBar } from 'cli-progress';

/** On standard error. Without a terminal it prints a line every 5 seconds. */
export function createProgressBar(noun: string): SingleBar {
  return new SingleBar({
    format: `{bar} {percentage}% | ${noun} {value} of {total} | {eta_formatted} left`,
    noTTYOutput: true,
    notTTYSchedule: 5_000,
  });
}
