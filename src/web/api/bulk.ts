import type { Static } from 'typebox';
import { Type } from '../../schema.ts';
import { newCode, type QrCodeColumns } from '../../codes/codes.ts';
import { createStyledCodes, missedWarnings } from '../../codes/styles/default-style.ts';
import { codeWarnings } from '../../codes/scannability.ts';
import { shareUrl } from '../../codes/share-token.ts';
import { createYield } from '../../runtime/yielding.ts';
import { bulkBounds, checkRows, maxBulkBytes, refuseRows } from './bulk-rows.ts';
import { formerField, formerName } from './former-names.ts';
import { operation } from './operation.ts';
import {
  createBody,
  createDefaults,
  createdExample,
  createdShape,
  presentCreated,
} from './qr-code-shapes.ts';
import { choice, closed } from './schema-parts.ts';

const modes = ['all', 'each'] as const;

const mode = Type.Optional({
  ...choice(
    modes,
    '`all`: if a code is invalid, none is created, and the status is 400. `each`: the valid ones are created, and each invalid one has its errors in the response.',
  ),
  default: 'all',
});

const newCodes = Type.Array(createBody, {
  ...bulkBounds,
  description: 'The QR codes to create, each like the body of `POST /qrcodes`.',
});

export const bulkBody = Type.Object(
  {
    mode,
    qrCodes: newCodes,
    codes: formerName(newCodes, 'qrCodes'),
  },
  { ...closed, description: 'Up to 500 QR codes to create.' },
);

/** Rows are checked one by one: thousands of errors at once would block other requests. */
const checkedBody = Type.Object(
  { mode, qrCodes: Type.Unsafe<unknown[]>({ type: 'array', ...bulkBounds }) },
  closed,
);

export const bulkRow = Type.Object(
  {
    index: Type.Integer({ minimum: 0, description: 'Position in `qrCodes` of the request, from 0.' }),
    qrCode: Type.Optional(createdShape),
    code: Type.Optional(formerField(createdShape, 'qrCode')),
    warnings: Type.Optional(
      Type.Array(Type.String(), {
        description: 'Only if the code was created: why phones may fail to read it, as in `Qrelay-Warning`.',
      }),
    ),
    errors: Type.Optional(
      Type.Array(
        Type.Object({
          field: Type.String({ description: 'The field, such as `qrCodes[3].size`.' }),
          message: Type.String({ description: 'The rule that it violates.' }),
        }),
        { description: 'Only if the code was not created: why.' },
      ),
    ),
  },
  { description: 'What became of one code: it has either `qrCode` or `errors`.' },
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
  maxBodyBytes: maxBulkBytes,
  bodyExample: {
    mode: 'each',
    qrCodes: [
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
        { index: 0, qrCode: createdExample, code: createdExample, warnings: [] },
        {
          index: 1,
          errors: [
            {
              field: 'qrCodes[1].content',
              message: 'must be an absolute http or https URL, such as https://example.com/',
            },
          ],
        },
      ],
    },
  },
  async prepare({ ownerId, body, sentName }, { db, config, now }) {
    const { mode: chosen = 'all', qrCodes } = await body();
    const createdAt = now();
    const name = sentName('qrCodes');
    const rows = await checkRows(db, config, { name, given: qrCodes }, createdAt);
    if (chosen === 'all')
      refuseRows(
        name,
        rows.flatMap(({ errors }) => errors),
      );
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
      const shown = presentCreated(code, config.baseUrl);
      data.push({ index, qrCode: shown, code: shown, warnings });
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
