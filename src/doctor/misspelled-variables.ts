import type { Environment } from '../config.ts';

/** All variables with this prefix are ours. */
const ownPrefix = 'QRELAY_';
/** Kubernetes sets these for every service, such as one that is called `qrelay`. */
const serviceLink = /_(?:SERVICE_HOST|SERVICE_PORT(?:_\w+)?|PORT(?:_\d+_(?:TCP|UDP)(?:_\w+)?)?)$/;
/** A shorter name, such as PORT, is one letter away from too many words. */
const minimumLength = 6;
const maxDistance = 2;

export interface MisspelledVariable {
  name: string;
  /** The variable that it resembles. */
  meant: string | undefined;
}

/**
 * Variables that are set, are not read, and resemble one that is read and not set. The rest of the environment belongs to
 * other programs.
 */
export function findMisspelled(env: Environment, known: ReadonlySet<string>): MisspelledVariable[] {
  const unset = [...known].filter((name) => !env[name] && name.length >= minimumLength);
  return Object.keys(env)
    .filter((name) => env[name] && !known.has(name) && name.length <= 64)
    .toSorted()
    .flatMap((name) => {
      const meant = nearest(name.toUpperCase().replaceAll('-', '_'), unset);
      const isOurs = name.startsWith(ownPrefix) && !serviceLink.test(name);
      return meant !== undefined || isOurs ? [{ name, meant }] : [];
    });
}

function nearest(name: string, candidates: string[]): string | undefined {
  // Also `QRELAY_REDIS_URL`, as many programs call theirs.
  const bare = name.startsWith(ownPrefix) ? name.slice(ownPrefix.length) : name;
  const [best] = candidates
    .map((candidate) => ({
      candidate,
      distance: Math.min(distance(name, candidate), distance(bare, candidate)),
    }))
    .filter(({ candidate, distance: found }) => found <= Math.min(maxDistance, candidate.length / 4))
    .toSorted((a, b) => a.distance - b.distance);
  return best?.candidate;
}

/** Letters that were added, left out, replaced, or swapped with their neighbor (Damerau–Levenshtein). */
function distance(a: string, b: string): number {
  if (Math.abs(a.length - b.length) > maxDistance) return maxDistance + 1;
  let [before, above]: [number[], number[]] = [[], Array.from({ length: b.length + 1 }, (_, index) => index)];
  for (let row = 1; row <= a.length; row += 1) {
    const line = [row];
    for (let column = 1; column <= b.length; column += 1) {
      const isSame = a[row - 1] === b[column - 1];
      const isSwapped = a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1];
      line[column] = Math.min(
        (line[column - 1] ?? 0) + 1,
        (above[column] ?? 0) + 1,
        (above[column - 1] ?? 0) + (isSame ? 0 : 1),
        isSwapped ? (before[column - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY,
      );
    }
    [before, above] = [above, line];
  }
  return above[b.length] ?? 0;
}
