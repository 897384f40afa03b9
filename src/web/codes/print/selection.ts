import type { Context } from 'koa';
import { findCodes } from '../../../codes/find-codes.ts';
import { maxPrintedCodes } from '../../../codes/print/print-codes.ts';
import type { QrCode } from '../../../codes/qr-code.ts';
import { searchAllCodes } from '../../../codes/search-codes.ts';
import { AppError } from '../../../errors.ts';
import type { PageParts } from '../../ui/page.ts';
import { userOf } from '../../ui/page.ts';
import { packIds, unpackIds } from './packed-ids.ts';
import { codeSearchOf, queryText, readSearch, searchParameters } from '../list/list-search.ts';

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

export async function readSelection(ctx: Context, { db, now }: PageParts): Promise<Selection> {
  const ownerId = userOf(ctx).id;
  const isAll = ctx.query['all'] === 'on';
  if (!isAll) {
    const ids = new Set([...[ctx.query['code'] ?? []].flat(), ...unpackIds(queryText(ctx, 'codes'))]);
    if (ids.size > maxPrintedCodes) throw tooMany();
    const { codes, missing } = await findCodes(db, ownerId, [...ids]);
    const parameters: Selection['parameters'] = [['codes', packIds(codes.map(({ id }) => id))]];
    return { codes: sorted(codes), missing: missing.length, parameters };
  }
  const search = readSearch(ctx);
  const wanted = codeSearchOf(search, now());
  const codes = await searchAllCodes(db, ownerId, wanted, maxPrintedCodes + 1);
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
  const message = `Choose at most ${maxPrintedCodes.toLocaleString('en')} codes at a time. A search or a filter finds fewer.`;
  return new AppError('validation_error', message);
}
