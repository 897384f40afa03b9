/** Numbers from 0 to below 1 that a seed determines, so that a run can be repeated. */
export type Random = () => number;

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
