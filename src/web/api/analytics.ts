import type { Static } from 'typebox';
import { Type } from '../../schema.ts';
import { findCode } from '../../codes/codes.ts';
import { readAnalytics } from '../../scans/analytics.ts';
import {
  type ColumnName,
  columnNames,
  dimensionDocs,
  dimensionTitles,
  rankingName,
  type RankingName,
} from '../../scans/dimensions.ts';
import { operation } from './operation.ts';
import { codeIdParams } from './qr-codes.ts';

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

const example: Static<typeof analyticsShape> = {
  totalScans: 3,
  uniqueCountries: 2,
  uniqueCities: 2,
  ...rankingExamples,
  timeline: [
    { date: '2026-11-27', scans: 0 },
    { date: '2026-11-28', scans: 3 },
  ],
};

export const readQrCodeAnalytics = operation({
  id: 'readQrCodeAnalytics',
  method: 'get',
  path: '/qrcodes/{id}/analytics',
  tag: 'Scans',
  summary: 'Read aggregated scan statistics',
  description: `Counts the scans of the last \`days\` days, including today, by ${counted} and day. Days begin at midnight UTC.`,
  params: codeIdParams,
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
  success: { status: 200, description: 'The statistics of the period.', schema: analyticsShape, example },
  async handle({ ownerId, params, query: { days = 30 } }, { db, reads, now }) {
    const code = await findCode(db, ownerId, params.id);
    return reads.scans(code.id, (replica) => readAnalytics(replica, code.id, days, now()));
  },
});
