import type { Static } from 'typebox';
import { findHostBlocks } from '../../codes/blocks.ts';
import { type FindBlocks, createBody, createDefaults, newCodeRules } from '../../codes/code-rules.ts';
import { type QrCodeColumns, newCode } from '../../codes/codes.ts';
import { hostAndParents, hostsOf } from '../../codes/content/hosts.ts';
import type { CodeType } from '../../codes/content/content-types.ts';
import { codeWarnings } from '../../codes/scannability.ts';
import { shareUrl } from '../../codes/share-token.ts';
import { createStyledCodes, missedWarnings } from '../../codes/styles/default-style.ts';
import {
  type RuleError,
  compileValidator,
  findErrors,
  normalizeLabels,
  refuseBody,
} from '../../codes/validation.ts';
import type { Config } from '../../config.ts';
import type { FieldError } from '../../errors.ts';
import { createYield } from '../../runtime/yielding.ts';
import { Type, choice, closed } from '../../schema.ts';
import type { Database } from '../../store/database.ts';
import { formerField, formerName } from './former-names.ts';
import { operation } from './operation.ts';
import { createdExample, createdShape, notInCreate, presentCreated } from './qr-codes.ts';

export const maxBulkBytes = 1024 * 1024;
export const bulkBounds = { minItems: 1, maxItems: 500 };
const maxDetails = 100;

const validateRow = compileValidator(createBody, {
  kind: 'field',
  whole: 'body',
  hints: notInCreate,
  maxListed: 5,
});
const hostsPerQuery = 1_000;

type Row = Static<typeof createBody>;

/** A row that passed has no errors. */
interface CheckedRow {
  row: Row;
  errors: FieldError[];
}

/** The rows of a request, and what it calls them. */
interface GivenRows {
  name: string;
  given: unknown[];
}

/** Checks each row by the rules of POST /qrcodes. Fields are named like `qrCodes[3].name`. */
async function checkRows(
  db: Database,
  config: Config,
  { name, given }: GivenRows,
  now: Date,
): Promise<CheckedRow[]> {
  const pause = createYield();
  const rows = await normalizeRows(given);
  const rules = newCodeRules(db, config, now, await blocksOf(db, rows.map(contentOf)));
  const checked: CheckedRow[] = [];
  for (const [index, row] of rows.entries()) {
    const errors = await findErrors(validateRow, row, rules);
    checked.push({ row: row as Row, errors: errors.map((error) => inRow(name, index, row, error)) });
    await pause();
  }
  return checked;
}

export async function normalizeRows(given: unknown[]): Promise<unknown[]> {
  const pause = createYield();
  const rows: unknown[] = [];
  for (const row of given) {
    rows.push(normalizeLabels(row));
    await pause();
  }
  return rows;
}

interface Content {
  type: CodeType;
  content: string;
}

/** Finds the blocks that apply to the hosts of all rows, with few queries. */
export async function blocksOf(db: Database, contents: (Content | undefined)[]): Promise<FindBlocks> {
  const pause = createYield();
  const blocked = new Set<string>();
  let hosts = new Set<string>();
  const query = async () => {
    for (const host of await findHostBlocks(db, [...hosts])) blocked.add(host);
    hosts = new Set();
  };
  for (const each of contents) {
    // Content that is too long is refused, and not parsed.
    if (each && each.content.length <= maxContentLength)
      for (const host of hostsOf(each.type, each.content)) hosts.add(host);
    if (hosts.size >= hostsPerQuery) await query();
    await pause();
  }
  await query();
  return async (given) => [...new Set(given.flatMap(hostAndParents))].filter((host) => blocked.has(host));
}

const maxContentLength = 2953;

/** Undefined where the row is invalid. */
function contentOf(row: unknown): Content | undefined {
  if (validateRow(row).length > 0) return undefined;
  const { type, content } = { ...createDefaults, ...(row as Row) };
  return { type, content };
}

/** An error of the whole row is called `body` by the validator. */
export function inRow(name: string, index: number, row: unknown, error: RuleError): RuleError {
  const isField = typeof row === 'object' && row !== null && Object.hasOwn(row, 'body');
  const path = error.field === 'body' && !isField ? '' : `.${error.field}`;
  return { ...error, field: `${name}[${index}]${path}` };
}

/** Throws where there are errors. Bounded, like all error responses. */
export function refuseRows(name: string, errors: RuleError[]): void {
  if (errors.length === 0) return;
  const more = errors.length - maxDetails;
  const rest = { field: name, message: `have ${more} more errors` };
  throw refuseBody(more > 0 ? [...errors.slice(0, maxDetails), rest] : errors);
}

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
  scope: 'codes',
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
  async prepare({ workspaceId, body, sentName }, { db, config, now }) {
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
      const code = newCode(workspaceId, input, config.qrCodeLifetimeDays, createdAt, index);
      columns.push(code);
      const warnings = codeWarnings(code, shareUrl(config.baseUrl, code.shareToken));
      const shown = presentCreated(code, config.baseUrl);
      data.push({ index, qrCode: shown, code: shown, warnings });
      await pause();
    }
    return async (services) => {
      const isStyled = await createStyledCodes(services.db, workspaceId, columns, {
        limits: config.limits,
        now: createdAt,
      });
      if (!isStyled) for (const { warnings } of data) warnings?.push(missedWarnings.tooMany);
      return { created: columns.length, failed: rows.length - columns.length, data };
    };
  },
});
