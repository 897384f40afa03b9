/** Numbers from 0 to below 1 that a seed determines (mulberry32), so that a run can be repeated. */
export type Random = () => number;

export function seededRandom(seed: number): Random {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

export function pick<Value>(random: Random, values: readonly Value[]): Value {
  const picked = values[Math.floor(random() * values.length)];
  if (picked === undefined) throw new Error('There is nothing to pick from');
  return picked;
}

export function between(random: Random, from: number, to: number): number {
  return Math.round(from + random() * (to - from));
}

export function shuffled<Value>(random: Random, values: readonly Value[]): Value[] {
  return values
    .map((value) => ({ value, rank: random() }))
    .toSorted((a, b) => a.rank - b.rank)
    .map(({ value }) => value);
}
