/**
 * THE list of what scans are counted by. A new entry needs enrichment (workers/enrich.ts), a migration if its column is
 * new, and its test. Recording, counters, analytics, API, CSV and the page of a code follow from it. Append: the order is
 * that of the columns in the CSV.
 */
type Dimension = {
  /** Stored in `scan_counters`, and the name of its column. */
  name: string;
} & (ColumnDimension | ComputedDimension);

/** A text column of `scans`, ranked in the analytics as `by<Name>`. Its value is counted as it is. */
interface ColumnDimension {
  column: DimensionColumn;
}

/**
 * Counted by an expression, written twice: for rebuilding counters in SQL, and for the worker. Both must agree. Only counted:
 * analytics, API, CSV and pages show columns, and what analytics.ts reads by name.
 */
interface ComputedDimension {
  /** SQL over a row of `scans`: the value to count, or null if the scan is not counted here. */
  value: string;
  /** The same for a scan that is about to be recorded. */
  compute: (scan: { country: string; region: string | null; city: string | null }) => string | null;
}

interface DimensionColumn {
  /** Stored when the value cannot be found out. */
  unknown: string;
  /** Clients choose the value, through their user agent: the number of values that are counted is limited. */
  isClientControlled: boolean;
  /** On the page of a code. */
  title: { singular: string; plural: string };
  /** In the API documentation. */
  docs: { value: string; ranking: string; examples: readonly [string, string] };
}

const dimensions = [
  { name: 'total', value: "''", compute: () => '' },
  {
    name: 'device',
    column: {
      unknown: 'unknown',
      isClientControlled: false,
      title: { singular: 'Device', plural: 'Devices' },
      docs: {
        value: 'Kind of device.',
        ranking: 'Scans per kind of device.',
        examples: ['mobile', 'desktop'],
      },
    },
  },
  {
    name: 'browser',
    column: {
      unknown: 'Unknown',
      isClientControlled: true,
      title: { singular: 'Browser', plural: 'Browsers' },
      docs: {
        value: 'Browser name, or Unknown.',
        ranking: 'Scans per browser.',
        examples: ['Mobile Safari', 'Firefox'],
      },
    },
  },
  {
    name: 'os',
    column: {
      unknown: 'Unknown',
      isClientControlled: true,
      title: { singular: 'System', plural: 'Systems' },
      docs: {
        value: 'Operating system name, or Unknown.',
        ranking: 'Scans per operating system.',
        examples: ['iOS', 'Linux'],
      },
    },
  },
  {
    name: 'country',
    column: {
      unknown: 'ZZ',
      isClientControlled: false,
      title: { singular: 'Country', plural: 'Countries' },
      docs: {
        value: 'Two-letter country code, or ZZ if unknown.',
        ranking: 'Scans per country.',
        examples: ['GB', 'DE'],
      },
    },
  },
  // Distinct by country, region and name: there are many Springfields.
  {
    name: 'city',
    value: "country || '|' || coalesce(region, '') || '|' || city",
    compute: ({ country, region, city }) => (city === null ? null : `${country}|${region ?? ''}|${city}`),
  },
] as const satisfies Dimension[];

export type DimensionName = (typeof dimensions)[number]['name'];
type Column = Extract<(typeof dimensions)[number], { column: object }>;
type ClientControlledColumn = Extract<Column, { column: { isClientControlled: true } }>;
/** A dimension that is a column of `scans`. */
export type ColumnName = Column['name'];
/** `byBrowser` */
export type RankingName<Name extends ColumnName = ColumnName> = `by${Capitalize<Name>}`;

export const dimensionNames = dimensions.map(({ name }) => name);

const columns = dimensions.filter((dimension): dimension is Column => 'column' in dimension);

export const columnNames = columns.map(({ name }) => name);
export const clientControlledColumns = columns
  .filter((column): column is ClientControlledColumn => column.column.isClientControlled)
  .map(({ name }) => name);

const columnsByName = byColumn((name) => columns.find((column) => column.name === name) as Column);
export const dimensionTitles = byColumn((name) => columnsByName[name].column.title);
export const dimensionDocs = byColumn((name) => columnsByName[name].column.docs);
/** A scan of which nothing is known. */
export const unknownValues = byColumn((name) => columnsByName[name].column.unknown as string);

function byColumn<Value>(valueOf: (name: ColumnName) => Value): Record<ColumnName, Value> {
  return Object.fromEntries(columnNames.map((name) => [name, valueOf(name)])) as Record<ColumnName, Value>;
}

export function rankingName<Name extends ColumnName>(name: Name): RankingName<Name> {
  return `by${name.charAt(0).toUpperCase()}${name.slice(1)}` as RankingName<Name>;
}

type Counted = Record<ColumnName, string> & { country: string; region: string | null; city: string | null };

/** For each dimension, the value to count a scan by: the same as `dimensionValuesSql`, without a database. */
export const dimensionValues: readonly { name: DimensionName; compute: (scan: Counted) => string | null }[] =
  dimensions.map((dimension) =>
    'compute' in dimension
      ? { name: dimension.name, compute: dimension.compute }
      : { name: dimension.name, compute: (scan: Counted) => scan[dimension.name] },
  );

/** `(name, value), …` for each dimension, to be joined laterally to rows of `scans`. */
export const dimensionValuesSql = `VALUES ${dimensions
  .map((dimension) => `('${dimension.name}', ${'value' in dimension ? dimension.value : dimension.name})`)
  .join(', ')}`;
