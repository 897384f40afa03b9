import type { Static } from 'typebox';
import { updateCode } from '../../codes/codes.ts';
import { findDesigns, lookFields } from '../../codes/design/stored-design.ts';
import { findCodes } from '../../codes/find-codes.ts';
import { changesLook } from '../../codes/proof/prove-design.ts';
import type { QrCode } from '../../codes/qr-code.ts';
import { codeWarnings } from '../../codes/scannability.ts';
import { shareUrl } from '../../codes/share-token.ts';
import { trashCodes } from '../../codes/trash.ts';
import { undoDays } from '../../codes/undo-period.ts';
import type { Config } from '../../config.ts';
import { createYield } from '../../runtime/yielding.ts';
import { readScanCounts } from '../../scans/analytics.ts';
import { closed, uuid, Type } from '../../schema.ts';
import type { Database } from '../../store/database.ts';
import { blocksOf, bulkBounds, inRow, maxBulkBytes, normalizeRows, refuseRows } from './bulk.ts';
import {
  compileValidator,
  findErrors,
  idErrors,
  missingCode,
  type RuleError,
} from '../../codes/validation.ts';
import { changedCodeRules, endingChanges, type FindBlocks, patchBody } from '../../codes/code-rules.ts';
import { operation } from './operation.ts';
import { changedExample, notInPatch, presentCode, readShape } from './qr-codes.ts';

const rowBody = Type.Object(
  { id: uuid('The QR code to change.'), ...patchBody.properties },
  { ...closed, description: 'A QR code and the fields to change, like the body of `PATCH /qrcodes/{id}`.' },
);
const { id: _id, ...hints } = notInPatch;
const validateRow = compileValidator(rowBody, { kind: 'field', whole: 'body', hints, maxListed: 5 });

export const bulkChangesBody = Type.Object(
  {
    qrCodes: Type.Array(rowBody, { ...bulkBounds, description: 'The QR codes to change, each once.' }),
  },
  { ...closed, description: 'Changes of up to 500 QR codes.' },
);

/** Rows are checked one by one: thousands of errors at once would block other requests. */
const checkedBody = Type.Object(
  { qrCodes: Type.Unsafe<unknown[]>({ type: 'array', ...bulkBounds }) },
  closed,
);

export const bulkChangedRow = Type.Object(
  {
    index: Type.Integer({ minimum: 0, description: 'Position in `qrCodes` of the request, from 0.' }),
    qrCode: readShape,
    warnings: Type.Array(Type.String(), {
      description: 'Why phones may fail to read it, as in `Qrelay-Warning`.',
    }),
  },
  { description: 'One QR code after its change.' },
);

export const bulkChangesShape = Type.Object(
  {
    updated: Type.Integer({ minimum: 0, description: 'Number of codes of the request.' }),
    data: Type.Array(bulkChangedRow, { description: 'One entry per code, in the order of the request.' }),
  },
  { description: 'QR codes after a bulk change.' },
);

type Row = Static<typeof rowBody>;

/** A row, and what is wrong with it whatever the stored code is. */
interface ReadRow {
  index: number;
  row: Row;
  errors: RuleError[];
}

const byId = (codes: QrCode[]) => new Map(codes.map((code) => [code.id, code]));
/** As it is stored; empty where a row has none. */
const idOf = (row: Partial<Row>) => (typeof row.id === 'string' ? row.id.toLowerCase() : '');

async function readRows(given: unknown[]): Promise<ReadRow[]> {
  const pause = createYield();
  const seen = new Set<string>();
  const rows: ReadRow[] = [];
  for (const [index, value] of (await normalizeRows(given)).entries()) {
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    const row = (isObject ? value : {}) as Row;
    const errors = validateRow(value).map((error) => inRow('qrCodes', index, value, error));
    const isRepeated = seen.has(idOf(row)) && idOf(row) !== '';
    if (isRepeated) errors.push({ field: `qrCodes[${index}].id`, message: 'is in the list twice' });
    seen.add(idOf(row));
    rows.push({ index, row, errors });
    await pause();
  }
  return rows;
}

interface RuleContext {
  db: Database;
  config: Config;
  findBlocks: FindBlocks;
}

/** Errors of rows that passed the schema: missing codes, and fields that do not fit the stored code. */
async function ruleErrors(
  rows: ReadRow[],
  codes: Map<string, QrCode>,
  { db, config, findBlocks }: RuleContext,
): Promise<RuleError[]> {
  const pause = createYield();
  const found: RuleError[] = [];
  for (const { index, row, errors } of rows) {
    const hasId = errors.every(({ field }) => !/\]$|\.id$/.test(field));
    const code = codes.get(idOf(row));
    if (hasId && !code) found.push(missingCode(`qrCodes[${index}].id`));
    if (errors.length > 0 || !code) continue;
    const rules = changedCodeRules(db, code, config, findBlocks);
    const wrong = await findErrors(() => [], row, rules);
    found.push(...wrong.map((error) => inRow('qrCodes', index, row, error)));
    await pause();
  }
  return found;
}

/** A proof takes up to a second, which is too long for hundreds of codes in one request. */
async function designErrors(db: Database, rows: ReadRow[], codes: Map<string, QrCode>): Promise<RuleError[]> {
  const looks = rows.filter(({ row, errors }) => errors.length === 0 && changesLook(row));
  const designed = await findDesigns(
    db,
    looks.map(({ row }) => idOf(row)).filter((each) => codes.has(each)),
  );
  return looks
    .filter(({ row }) => designed.has(idOf(row)))
    .flatMap(({ index, row }) =>
      lookFields
        .filter((field) => row[field] !== undefined)
        .map((field) => ({
          field: `qrCodes[${index}].${field}`,
          message: 'of a code with a design has to be proven; use PATCH /api/v1/qrcodes/{id}',
        })),
    );
}

/** In the order of their ids, in which they are locked; returned in the order of the rows. */
async function changeCodes(
  transaction: Database,
  rows: ReadRow[],
  codes: Map<string, QrCode>,
  { config, changedAt }: { config: Config; changedAt: Date },
): Promise<QrCode[]> {
  const changed: QrCode[] = [];
  for (const { row } of rows) {
    const code = codes.get(idOf(row));
    // Rows without a code were refused.
    if (!code) continue;
    const { id: _rowId, expiresAt, ...given } = row;
    const ending =
      expiresAt === undefined ? {} : endingChanges(code, { expiresAt }, config.qrCodeLifetimeDays, changedAt);
    changed.push(await updateCode(transaction, code, { ...given, ...ending }, changedAt));
  }
  return changed;
}

export const bulkDeletionBody = Type.Object(
  {
    qrCodeIds: Type.Array(uuid('Identifier of a QR code.'), {
      ...bulkBounds,
      description: 'The QR codes to delete.',
    }),
  },
  { ...closed, description: 'Up to 500 QR codes to delete.' },
);

export const bulkChangeOperations = [
  operation({
    id: 'updateQrCodes',
    method: 'patch',
    path: '/qrcodes/bulk',
    scope: 'codes',
    summary: 'Change up to 500 QR codes',
    description:
      'Counts as one request. All codes are changed or, if one row is invalid or not a code of yours, none. Each row has the `id` of a code and the fields to change. A code with a design keeps its colors and error correction, because a new look has to be proven: change those with `PATCH /qrcodes/{id}`. The body may have up to 1 MiB.',
    body: bulkChangesBody,
    checkedBody,
    maxBodyBytes: maxBulkBytes,
    bodyExample: { qrCodes: [{ id: changedExample.id, name: 'Menu, winter', isFavorite: true }] },
    success: {
      status: 200,
      description: 'All codes were changed.',
      schema: bulkChangesShape,
      example: { updated: 1, data: [{ index: 0, qrCode: changedExample, warnings: [] }] },
    },
    async prepare({ workspaceId, body }, { db, config }) {
      const { qrCodes } = await body();
      const rows = await readRows(qrCodes);
      const ids = rows.map(({ row }) => idOf(row));
      const before = byId((await findCodes(db, workspaceId, ids)).codes);
      const contents = rows.map(({ row, errors }) => {
        const code = before.get(idOf(row));
        if (errors.length > 0 || !code || row.content === undefined) return undefined;
        return { type: row.type ?? code.type, content: row.content };
      });
      const context = { db, config, findBlocks: await blocksOf(db, contents) };
      const errors = [
        ...(await ruleErrors(rows, before, context)),
        ...(await designErrors(db, rows, before)),
      ];
      refuseRows('qrCodes', [...rows.flatMap((row) => row.errors), ...errors]);
      return async (services) => {
        const changedAt = services.now();
        const changed = await services.db.transaction(async (transaction) => {
          const codes = byId((await findCodes(transaction, workspaceId, ids, { locks: true })).codes);
          // Only what was changed since is checked again, so that the codes are not locked for long.
          const isStale = ({ row }: ReadRow) =>
            codes.get(idOf(row))?.updatedAt.getTime() !== before.get(idOf(row))?.updatedAt.getTime();
          const late = await ruleErrors(rows.filter(isStale), codes, { ...context, db: transaction });
          refuseRows('qrCodes', [...late, ...(await designErrors(transaction, rows, codes))]);
          return changeCodes(transaction, rows, codes, { config, changedAt });
        });
        for (const { shareToken } of changed) services.codeChanged(shareToken);
        const counts = await readScanCounts(services.db, ids);
        const data = changed.map((code, index) => ({
          index,
          qrCode: presentCode(code, counts.get(code.id) ?? 0, config.baseUrl),
          warnings: codeWarnings(code, shareUrl(config.baseUrl, code.shareToken)),
        }));
        return { updated: changed.length, data };
      };
    },
  }),

  operation({
    id: 'deleteQrCodes',
    method: 'delete',
    path: '/qrcodes/bulk',
    scope: 'codes',
    summary: 'Delete up to 500 QR codes',
    description: `Counts as one request. Moves all of these codes to the trash, from which they can be restored for ${undoDays} days, or, if one of them is not a code of yours, none. Unlike other DELETE requests it has a body, and accepts an \`Idempotency-Key\`. Within 10 seconds the share URLs answer 404.`,
    body: bulkDeletionBody,
    checkedBody: Type.Object({ qrCodeIds: Type.Unsafe<unknown[]>({ type: 'array', ...bulkBounds }) }, closed),
    maxBodyBytes: maxBulkBytes,
    bodyExample: { qrCodeIds: [changedExample.id] },
    success: { status: 204, description: 'All of them were deleted.' },
    async handle({ workspaceId, body }, { db, config, codeChanged }) {
      const { qrCodeIds } = await body(async (fields) => idErrors('qrCodeIds', fields.qrCodeIds));
      const deleted = await trashCodes(db, workspaceId, config.limits, async (transaction) => {
        const { codes, missing } = await findCodes(transaction, workspaceId, qrCodeIds, { locks: true });
        refuseRows(
          'qrCodeIds',
          missing.map((index) => missingCode(`qrCodeIds[${index}]`)),
        );
        return [...byId(codes).values()];
      });
      for (const { shareToken } of deleted) codeChanged(shareToken);
    },
  }),
];
