import type { Context } from 'koa';
import { expiringWithin } from '../../../codes/expiring-codes.ts';
import { findCodes } from '../../../codes/find-codes.ts';
import { maxPrintedCodes } from '../../../codes/print/print-codes.ts';
import type { QrCode } from '../../../codes/qr-code.ts';
import { searchCodes } from '../../../codes/search-codes.ts';
import { AppError } from '../../../errors.ts';
import type { PageParts } from '../../ui/page.ts';
import { userOf } from '../../ui/page.ts';
import { maxPackedLength, packIds, unpackIds } from './packed-ids.ts';
import { queryText, readSearch, type Search, searchParameters } from '../list/list-search.ts';

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
    const packed = queryText(ctx, 'codes');
    const boxes = [ctx.query['code'] ?? []].flat();
    if (boxes.length > maxPrintedCodes || packed.length > maxPackedLength(maxPrintedCodes)) throw tooMany();
    const ids = new Set([...boxes, ...unpackIds(packed)]);
    const { codes, missing } = await findCodes(db, ownerId, [...ids]);
    const parameters: Selection['parameters'] = [['codes', packIds(codes.map(({ id }) => id))]];
    return { codes: sorted(codes), missing: missing.length, parameters };
  }
  const search = readSearch(ctx);
  const codes = await findAll(search);
  if (codes.length > maxPrintedCodes) throw tooMany();
  return {
    codes: sorted(codes),
    missing: 0,
    parameters: [['all', 'on'], ...Object.entries(searchParameters(search))],
  };

  async function findAll({ q: name, type, category, endsWithin }: Search): Promise<QrCode[]> {
    const wanted = { name, type, category, expiring: expiringWithin(endsWithin, now()) };
    const page = await searchCodes(db, ownerId, wanted, { limit: maxPrintedCodes + 1 });
    return page.codes;
  }
}

function sorted(codes: QrCode[]): QrCode[] {
  return codes.toSorted((a, b) => byName.compare(a.name, b.name) || (a.id < b.id ? -1 : 1));
}

function tooMany(): AppError {
  const message = `Choose at most ${maxPrintedCodes.toLocaleString('en')} codes at a time. A search or a filter finds fewer.`;
  return new AppError('validation_error', message);
}
