import type { Context } from 'koa';
import { findCodes } from '../../../codes/find-codes.ts';
import { maxPrintedCodes } from '../../../codes/print/print-codes.ts';
import type { QrCode } from '../../../codes/qr-code.ts';
import { searchAllCodes } from '../../../codes/search-codes.ts';
import { AppError } from '../../../errors.ts';
import { field } from '../../middleware/forms.ts';
import { queryText } from '../../ui/form.ts';
import { codeSearchOf, readSearch, searchParameters } from '../list/list-search.ts';
import type { Services } from '../../services.ts';
import { workspaceIdOf } from '../../middleware/session.ts';

/** Codes that were chosen in the list: each by its box, or all that a search finds. */
export interface Selection {
  /** By name, with numbers in their order. */
  codes: QrCode[];
  /** How many were deleted since their boxes were checked. */
  missing: number;
  /** The parameters that choose the same codes again. */
  parameters: [name: string, value: string][];
}

const byName = new Intl.Collator('en', { numeric: true });

/** Posted where an address would be too long. */
export async function readSelection(ctx: Context, { db, now }: Services): Promise<Selection> {
  const workspaceId = workspaceIdOf(ctx);
  const isAll = ctx.query['all'] === 'on';
  if (!isAll) {
    const packed = ctx.method === 'POST' ? field(ctx, 'codes') : queryText(ctx, 'codes');
    const ids = new Set([...[ctx.query['code'] ?? []].flat(), ...unpackIds(packed)]);
    if (ids.size > maxPrintedCodes) throw tooMany();
    const { codes, missing } = await findCodes(db, workspaceId, [...ids]);
    const parameters: Selection['parameters'] = [['codes', packIds(codes.map(({ id }) => id))]];
    return { codes: sorted(codes), missing: missing.length, parameters };
  }
  const search = readSearch(ctx);
  const wanted = codeSearchOf(search, now());
  const codes = await searchAllCodes(db, workspaceId, wanted, maxPrintedCodes + 1);
  if (codes.length > maxPrintedCodes) throw tooMany();
  return {
    codes: sorted(codes),
    missing: 0,
    parameters: [['all', 'on'], ...Object.entries(searchParameters(search))],
  };
}

function sorted(codes: QrCode[]): QrCode[] {
  return codes.toSorted((a, b) => byName.compare(a.name, b.name) || (a.id < b.id ? -1 : 1));
}

function tooMany(): AppError {
  const message = `Select at most ${maxPrintedCodes.toLocaleString('en')} codes at a time. A search or a filter finds fewer.`;
  return new AppError('validation_error', message);
}

const idLength = 22;
/** Proxies accept addresses of 8 KB. More ids are posted. */
export const maxCodesInAddress = 300;

export const packedLength = (ids: number) => ids * idLength;

/** The bytes of ids in base64url, 22 characters each. selection.browser.js writes the same. */
export function packIds(ids: string[]): string {
  return ids.map((id) => Buffer.from(id.replaceAll('-', ''), 'hex').toString('base64url')).join('');
}

/** The caller leaves out invalid ids. The length of an address or of a form bounds their number. */
function unpackIds(text: string): string[] {
  const ids: string[] = [];
  for (let at = 0; at < text.length; at += idLength) {
    const hex = Buffer.from(text.slice(at, at + idLength), 'base64url').toString('hex');
    ids.push(hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-'));
  }
  return ids;
}
