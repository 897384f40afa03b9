import type { Static } from 'typebox';
import { findHostBlocks } from '../../codes/blocks.ts';
import { hostAndParents, hostsOf } from '../../codes/content/hosts.ts';
import type { CodeType } from '../../codes/content/content-types.ts';
import type { Config } from '../../config.ts';
import type { FieldError } from '../../errors.ts';
import { createYield } from '../../runtime/yielding.ts';
import type { Database } from '../../store/database.ts';
import { findErrors, refuseBody, type RuleError } from './check-body.ts';
import { normalizeLabels } from './normalize-labels.ts';
import { type FindBlocks, newCodeRules } from './qr-code-rules.ts';
import { createBody, createDefaults, notInCreate } from './qr-code-shapes.ts';
import { compileValidator } from './validation.ts';

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
export interface CheckedRow {
  row: Row;
  errors: FieldError[];
}

/** The rows of a request, and what it calls them. */
export interface GivenRows {
  name: string;
  given: unknown[];
}

/** Checks each row by the rules of POST /qrcodes. Fields are named like `qrCodes[3].name`. */
export async function checkRows(
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
