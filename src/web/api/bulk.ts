import type { Static } from 'typebox';
import { Type } from '../../schema.ts';
import { newCode, type QrCodeColumns } from '../../codes/codes.ts';
import { createStyledCodes, missedWarnings } from '../../codes/styles/default-style.ts';
import { codeWarnings } from '../../codes/scannability.ts';
import { shareUrl } from '../../codes/share-token.ts';
import { invalid } from '../../errors.ts';
import { createYield } from '../../runtime/yielding.ts';
import { type CheckedRow, checkRows } from './bulk-rows.ts';
import { operation } from './operation.ts';
import {
  createBody,
  createDefaults,
  createdExample,
  createdShape,
  presentCreated,
} from './qr-code-shapes.ts';
import { choice, closed } from './schema-parts.ts';

const maxCodes = 500;
const maxBytes = 1024 * 1024;
const maxDetails = 100;
const modes = ['all', 'each'] as const;

const mode = Type.Optional({
  ...choice(
    modes,
    '`all`: if a code is invalid, none is created, and the status is 400. `each`: the valid ones are created, and each invalid one has its errors in the response.',
  ),
  default: 'all',
});
const bounds = { minItems: 1, maxItems: maxCodes };

export const bulkBody = Type.Object(
  {
    mode,
    codes: Type.Array(createBody, {
      ...bounds,
      description: 'The QR codes to create, each like the body of `POST /qrcodes`.',
    }),
  },
  { ...closed, description: 'Up to 500 QR codes to create.' },
);

/** Rows are checked one by one: thousands of errors at once would block other requests. */
const checkedBody = Type.Object(
  { mode, codes: Type.Unsafe<unknown[]>({ type: 'array', ...bounds }) },
  closed,
);

export const bulkRow = Type.Object(
  {
    index: Type.Integer({ minimum: 0, description: 'Position in `codes` of the request, from 0.' }),
    code: Type.Optional(createdShape),
    warnings: Type.Optional(
      Type.Array(Type.String(), {
        description: 'Only if the code was created: why phones may fail to read it, as in `Qrelay-Warning`.',
      }),
    ),
    errors: Type.Optional(
      Type.Array(
        Type.Object({
          field: Type.String({ description: 'The field, such as `codes[3].size`.' }),
          message: Type.String({ description: 'The rule that it violates.' }),
        }),
        { description: 'Only if the code was not created: why.' },
      ),
    ),
  },
  { description: 'What became of one code: it has either `code` or `errors`.' },
);

export const bulkShape = Type.Object(
  {
    created: Type.Integer({ minimum: 0, description: 'Number of codes that were created.' }),
    failed: Type.Integer({
      minimum: 0,
      description: 'Number of codes that were not; always 0 in mode `all`.',
    }),
    data: Type.Array(bulkRow, { description: 'One entry per code, in the order of the request.' }),
  },
  { description: 'The result of a bulk request.' },
);

export const createQrCodes = operation({
  id: 'createQrCodes',
  method: 'post',
  path: '/qrcodes/bulk',
  tag: 'QR codes',
  summary: 'Create up to 500 QR codes',
  description:
    'Counts as one request. By default all codes are created or, if one of them is invalid, none. The body may have up to 1 MiB. If you have a default style, the codes get it after the response, within minutes.',
  body: bulkBody,
  checkedBody,
  maxBodyBytes: maxBytes,
  bodyExample: {
    mode: 'each',
    codes: [
      { name: 'Menu, summer', content: 'https://example.com/menu' },
      { name: 'Table 2', content: 'table 2' },
    ],
  },
  success: {
    status: 200,
    description: 'The request was processed. In mode `each`, see `failed`.',
    schema: bulkShape,
    example: {
      created: 1,
      failed: 1,
      data: [
        { index: 0, code: createdExample, warnings: [] },
        {
          index: 1,
          errors: [
            {
              field: 'codes[1].content',
              message: 'must be an absolute http or https URL, such as https://example.com/',
            },
          ],
        },
      ],
    },
  },
  async prepare({ ownerId, body }, { db, config, now }) {
    const { mode: chosen = 'all', codes } = await body();
    const createdAt = now();
    const rows = await checkRows(db, config, codes, createdAt);
    if (chosen === 'all') requireValid(rows);
    const pause = createYield();
    const columns: QrCodeColumns[] = [];
    const data: Static<typeof bulkRow>[] = [];
    for (const [index, { row, errors }] of rows.entries()) {
      if (errors.length > 0) {
        data.push({ index, errors });
        continue;
      }
      const { expiresAt, ...given } = row;
      const input = {
        ...createDefaults,
        ...given,
        ...(expiresAt !== undefined && { expiresAt: new Date(expiresAt) }),
      };
      const code = newCode(ownerId, input, config.qrCodeLifetimeDays, createdAt, index);
      columns.push(code);
      const warnings = codeWarnings(code, shareUrl(config.baseUrl, code.shareToken));
      data.push({ index, code: presentCreated(code, config.baseUrl), warnings });
      await pause();
    }
    return async (services) => {
      const isStyled = await createStyledCodes(services.db, ownerId, columns, {
        limits: config.limits,
        now: createdAt,
      });
      if (!isStyled) for (const { warnings } of data) warnings?.push(missedWarnings.tooMany);
      return { created: columns.length, failed: rows.length - columns.length, data };
    };
  },
});

/** Bounded, like all error responses. */
function requireValid(rows: CheckedRow[]): void {
  const errors = rows.flatMap((row) => row.errors);
  if (errors.length === 0) return;
  const more = errors.length - maxDetails;
  const rest = { field: 'codes', message: `have ${more} more errors` };
  throw invalid(more > 0 ? [...errors.slice(0, maxDetails), rest] : errors);
}
