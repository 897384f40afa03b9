import type { Static } from 'typebox';
import { findCode } from '../../codes/codes.ts';
import { readAnalytics } from '../../scans/analytics.ts';
import {
  type ColumnName,
  type RankingName,
  columnNames,
  dimensionDocs,
  dimensionTitles,
  rankingName,
} from '../../scans/dimensions.ts';
import { deviceClasses, listScans } from '../../scans/scan.ts';
import { Type, choice, nullable, timestamp, uuid } from '../../schema.ts';
import { operation } from './operation.ts';
import { pageOf, pageQuery, period, periodOf, periodRules, present, toPage } from './lists.ts';

const counted = columnNames.map((name) => dimensionTitles[name].singular.toLowerCase()).join(', ');

const count = (description: string) => Type.Integer({ minimum: 0, description });

const ranking = <Name extends ColumnName>(name: Name) =>
  Type.Array(
    Type.Object({
      [name]: Type.String({ description: dimensionDocs[name].value }),
      count: Type.Integer({ minimum: 1, description: 'Number of scans.' }),
    } as Record<Name, ReturnType<typeof Type.String>> & { count: ReturnType<typeof Type.Integer> }),
    {
      description: `${dimensionDocs[name].ranking} Largest count first.`,
    },
  );

/** `byBrowser` and so on, for each dimension that is a column. */
const rankings = Object.fromEntries(
  columnNames.map((name) => [rankingName(name), ranking(name)]),
) as unknown as {
  [Name in ColumnName as RankingName<Name>]: ReturnType<typeof ranking<Name>>;
};
const rankingExamples = Object.fromEntries(
  columnNames.map((name) => {
    const [first, second] = dimensionDocs[name].examples;
    return [
      rankingName(name),
      [
        { [name]: first, count: 2 },
        { [name]: second, count: 1 },
      ],
    ];
  }),
) as unknown as { [Name in keyof typeof rankings]: Static<(typeof rankings)[Name]> };

export const analyticsShape = Type.Object(
  {
    totalScans: count('Scans in the requested period.'),
    uniqueCountries: count('Number of different countries, not counting unknown (ZZ).'),
    uniqueCities: count(
      'Number of different cities. Cities of the same name in different regions count separately.',
    ),
    ...rankings,
    timeline: Type.Array(
      Type.Object({
        date: Type.String({ format: 'date', description: 'The UTC day.' }),
        scans: count('Scans on that day.'),
      }),
      {
        description: 'One entry per day of the period, oldest first. Days without scans are included.',
      },
    ),
  },
  { description: 'Scan statistics of one QR code.' },
);

const analyticsExample: Static<typeof analyticsShape> = {
  totalScans: 3,
  uniqueCountries: 2,
  uniqueCities: 2,
  ...rankingExamples,
  timeline: [
    { date: '2026-11-27', scans: 0 },
    { date: '2026-11-28', scans: 3 },
  ],
};

type OtherColumn = Exclude<ColumnName, 'country' | 'device'>;

/** The columns that are plain text, in the order of the list of dimensions. */
function otherColumns<Value>(valueOf: (name: OtherColumn) => Value): Record<OtherColumn, Value> {
  const names = columnNames.filter((name) => name !== 'country' && name !== 'device');
  return Object.fromEntries(names.map((name) => [name, valueOf(name)])) as Record<OtherColumn, Value>;
}

export const scanShape = Type.Object(
  {
    id: uuid('Scan identifier. Used as the pagination cursor.'),
    qrCodeId: uuid('Identifier of the scanned QR code.'),
    country: Type.String({
      pattern: '^[A-Z]{2}$',
      description: dimensionDocs.country.value,
    }),
    city: nullable(Type.String({ description: 'City name, or null if unknown.' })),
    device: choice(deviceClasses, dimensionDocs.device.value),
    ...otherColumns((name) => Type.String({ description: dimensionDocs[name].value })),
    latitude: nullable(
      Type.Number({ minimum: -90, maximum: 90, description: 'In decimal degrees, or null if unknown.' }),
    ),
    longitude: nullable(
      Type.Number({ minimum: -180, maximum: 180, description: 'In decimal degrees, or null if unknown.' }),
    ),
    scannedAt: timestamp('When it was scanned.'),
  },
  { description: 'One scan of a QR code.' },
);

export const scanExample: Static<typeof scanShape> = {
  id: '01936f40-11c2-7a3b-9d5e-6b1f2c3d4e5f',
  qrCodeId: '01936f3e-7c1a-7d44-8f0b-2a5c7f0e9b11',
  country: 'GB',
  city: 'St Albans',
  device: 'mobile',
  ...otherColumns((name) => dimensionDocs[name].examples[0] as string),
  latitude: 51.753,
  longitude: -0.3256,
  scannedAt: '2026-11-28T09:31:43.618Z',
};

export const scanOperations = [
  operation({
    id: 'readQrCodeAnalytics',
    method: 'get',
    path: '/qrcodes/{id}/analytics',
    scope: 'analytics',
    summary: 'Read aggregated scan statistics',
    description: `Counts the scans of the last \`days\` days, including today, by ${counted} and day. Days begin at midnight UTC.`,
    query: Type.Object({
      days: Type.Optional(
        Type.Integer({
          minimum: 1,
          maximum: 365,
          default: 30,
          description: 'Number of days, including today.',
        }),
      ),
    }),
    success: {
      status: 200,
      description: 'The statistics of the period.',
      schema: analyticsShape,
      example: analyticsExample,
    },
    async handle({ workspaceId, id, query: { days = 30 } }, { db, reads, now }) {
      const code = await findCode(db, workspaceId, id);
      return reads.scans(code.id, (replica) => readAnalytics(replica, code.id, days, now()));
    },
  }),

  operation({
    id: 'listQrCodeScans',
    method: 'get',
    path: '/qrcodes/{id}/scans',
    scope: 'analytics',
    summary: 'List raw scan records',
    description: 'Returns the scans of a QR code one page at a time, newest first.',
    query: Type.Object({
      ...pageQuery('scan', { limit: 100, max: 500 }),
      ...period('scanned'),
    }),
    queryRules: periodRules,
    success: {
      status: 200,
      description: 'One page of scans.',
      schema: pageOf(scanShape, 'One page of scans.'),
      example: { data: [scanExample], nextCursor: '01936f40-11c2-7a3b-9d5e-6b1f2c3d4e5f' },
    },
    async handle({ workspaceId, id, query: { limit = 100, cursor: after, ...given } }, { db, reads }) {
      const code = await findCode(db, workspaceId, id);
      const scans = await reads.scans(code.id, (replica) =>
        listScans(replica, code.id, { limit, cursor: after, ...periodOf(given) }),
      );
      return toPage(scans, limit, (scan) => present(scanShape, scan));
    },
  }),
];
