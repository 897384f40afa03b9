/**
 * THE list of what scans are counted by. Each entry is one kind of row in `scan_counters`; a new one needs this line,
 * a migration if its columns are new, and its test.
 */
interface Dimension {
  name: string;
  /** SQL over a row of `scans`: the value to count under, or null where the scan does not count here. */
  value: string;
}

const dimensions = [
  { name: 'total', value: "''" },
  { name: 'device', value: 'device' },
  { name: 'browser', value: 'browser' },
  { name: 'os', value: 'os' },
  { name: 'country', value: 'country' },
  // Distinct by country, region and name: there is a Springfield in every other state.
  { name: 'city', value: "country || '|' || coalesce(region, '') || '|' || city" },
] as const satisfies Dimension[];

export type DimensionName = (typeof dimensions)[number]['name'];

export const dimensionNames = dimensions.map(({ name }) => name);

/** `(name, value), …` for each dimension, to be joined laterally to rows of `scans`. */
export const dimensionValuesSql = `VALUES ${dimensions.map(({ name, value }) => `('${name}', ${value})`).join(', ')}`;
