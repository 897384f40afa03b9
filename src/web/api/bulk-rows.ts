import type { Static } from 'typebox';
import { findHostBlocks } from '../../codes/blocks.ts';
import { hostAndParents, hostsOf } from '../../codes/content/hosts.ts';
import { type CodeType, codeTypes } from '../../codes/qr-code.ts';
import type { Config } from '../../config.ts';
import type { FieldError } from '../../errors.ts';
import { createYield } from '../../runtime/yielding.ts';
import type { Database } from '../../store/database.ts';
import { findErrors } from './check-body.ts';
import { normalizeLabels } from './normalize-labels.ts';
import { newCodeRules } from './qr-code-rules.ts';
import { createBody, createDefaults, notInCreate } from './qr-code-shapes.ts';
import { compileValidator } from './validation.ts';

const validateRow = compileValidator(createBody, {
  kind: 'field',
  whole: 'body',
  hints: notInCreate,
  maxListed: 5,
});
const hostsPerQuery = 1_000;

type Row = Static<typeof createBody>;

/** A row that passed has no errors. */
export interface CheckedRow {
  row: Row;
  errors: FieldError[];
}

/** Checks each row by the rules of POST /qrcodes. Fields are named like `codes[3].name`. */
export async function checkRows(
  db: Database,
  config: Config,
  given: unknown[],
  now: Date,
): Promise<CheckedRow[]> {
  const pause = createYield();
  const rows: unknown[] = [];
  for (const row of given) {
    rows.push(normalizeLabels(row));
    await pause();
  }
  const blocked = await findBlocked(db, rows);
  const rules = newCodeRules(db, config, now, async (hosts) =>
    [...new Set(hosts.flatMap(hostAndParents))].filter((host) => blocked.has(host)),
  );
  const checked: CheckedRow[] = [];
  for (const [index, row] of rows.entries()) {
    const errors = await findErrors(validateRow, row, rules);
    checked.push({ row: row as Row, errors: errors.map((error) => inRow(index, row, error)) });
    await pause();
  }
  return checked;
}

/** The blocks that apply to the hosts of all rows, with few queries. */
async function findBlocked(db: Database, rows: unknown[]): Promise<Set<string>> {
  const pause = createYield();
  const blocked = new Set<string>();
  let hosts = new Set<string>();
  const query = async () => {
    for (const host of await findHostBlocks(db, [...hosts])) blocked.add(host);
    hosts = new Set();
  };
  for (const row of rows) {
    for (const host of hostsIn(row)) hosts.add(host);
    if (hosts.size >= hostsPerQuery) await query();
    await pause();
  }
  await query();
  return blocked;
}

/** None where the row is invalid: content that is too long is not parsed. */
function hostsIn(row: unknown): string[] {
  if (validateRow(row).length > 0) return [];
  const { type, content } = { ...createDefaults, ...(row as Row) };
  return isCodeType(type) && content.length <= maxContentLength ? hostsOf(type, content) : [];
}

const maxContentLength = 2953;

function isCodeType(type: string): type is CodeType {
  return codeTypes.includes(type as CodeType);
}

/** An error of the whole row is called `body` by the validator. */
function inRow(index: number, row: unknown, { field, message }: FieldError): FieldError {
  const isField = typeof row === 'object' && row !== null && Object.hasOwn(row, 'body');
  const path = field === 'body' && !isField ? '' : `.${field}`;
  return { field: `codes[${index}]${path}`, message };
}
