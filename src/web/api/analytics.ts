import { type Static, Type } from 'typebox';
import { findCode } from '../../codes/codes.ts';
import { readAnalytics } from '../../scans/analytics.ts';
import { operation } from './operation.ts';
import { codeIdParams } from './qr-codes.ts';
import { closed } from './schema-parts.ts';

const count = (description: string) => Type.Integer({ minimum: 0, description });

const ranking = <Name extends string>(name: Name, description: string) =>
  Type.Array(
    Type.Object({ [name]: Type.String(), count: Type.Integer({ minimum: 1 }) } as Record<
      Name,
      ReturnType<typeof Type.String>
    > & { count: ReturnType<typeof Type.Integer> }),
    {
      description: `${description} Largest count first.`,
    },
  );

export const analyticsShape = Type.Object(
  {
    totalScans: count('Scans in the requested period.'),
    uniqueCountries: count('Number of different countries, not counting unknown (ZZ).'),
    uniqueCities: count(
      'Number of different cities. Cities of the same name in different regions count separately.',
    ),
    byDevice: ranking('device', 'Scans per device type.'),
    byBrowser: ranking('browser', 'Scans per browser.'),
    byOs: ranking('os', 'Scans per operating system.'),
    byCountry: ranking('country', 'Scans per country.'),
    timeline: Type.Array(
      Type.Object({ date: Type.String({ format: 'date' }), scans: count('Scans on that UTC day.') }),
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
  byDevice: [
    { device: 'mobile', count: 2 },
    { device: 'desktop', count: 1 },
  ],
  byBrowser: [
    { browser: 'Mobile Safari', count: 2 },
    { browser: 'Firefox', count: 1 },
  ],
  byOs: [
    { os: 'iOS', count: 2 },
    { os: 'Linux', count: 1 },
  ],
  byCountry: [
    { country: 'GB', count: 2 },
    { country: 'DE', count: 1 },
  ],
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
  description:
    'Counts the scans of the last `days` days, including today, by device, browser, system, country and day. Days begin at midnight UTC.',
  params: codeIdParams,
  query: Type.Object(
    {
      days: Type.Optional(
        Type.Integer({
          minimum: 1,
          maximum: 365,
          default: 30,
          description: 'Number of days, including today.',
        }),
      ),
    },
    closed,
  ),
  success: { status: 200, description: 'The statistics of the period.', schema: analyticsShape, example },
  async handle({ ownerId, params, query: { days = 30 } }, { db, now }) {
    const code = await findCode(db, ownerId, params.id);
    return readAnalytics(db, code.id, days, now());
  },
});
