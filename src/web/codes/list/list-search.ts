import type { Context } from 'koa';
import { ended, expiringWithin } from '../../../codes/lifetime.ts';
import { normalizeLabel } from '../../../codes/label.ts';
import type { CodeSearch } from '../../../codes/search-codes.ts';
import { queryText } from '../../ui/form.ts';
import { type ShownType, shownTypes } from '../shown-type.tsx';

/** Longer than any link that people paste. */
const maxSearchLength = 2_000;

/** Days, for the filter by when codes expire. */
export const endPeriods = [7, 30, 90] as const;
export const hasEnded = 'ended';

/** The search and filters of the list. */
export interface Search {
  q: string;
  type: ShownType | undefined;
  category: string;
  /** Days until they expire; `ended` for codes that have expired. */
  endsWithin: number | typeof hasEnded | undefined;
}

/** The search as a query of the database. */
export function codeSearchOf({ q: text, type, category, endsWithin }: Search, now: Date): CodeSearch {
  const expiring = endsWithin === hasEnded ? ended(now) : expiringWithin(endsWithin, now);
  return { text, type, category, expiring };
}

export function readSearch(ctx: Context): Search {
  return {
    q: normalizeLabel(queryText(ctx, 'q').slice(0, maxSearchLength)),
    type: shownTypes.find((type) => type === queryText(ctx, 'type')),
    category: queryText(ctx, 'category'),
    endsWithin: [...endPeriods, hasEnded as typeof hasEnded].find(
      (days) => String(days) === queryText(ctx, 'endsWithin'),
    ),
  };
}

/** The parameters of an address with this search. */
export function searchParameters({ q, type, category, endsWithin }: Search): Record<string, string> {
  return {
    ...(q && { q }),
    ...(type && { type }),
    ...(category && { category }),
    ...(endsWithin && { endsWithin: String(endsWithin) }),
  };
}

/** Codes on one page of the list. */
export const pageSizes = [20, 50, 100] as const;
export type PageSize = (typeof pageSizes)[number];
export const defaultPageSize = pageSizes[0];

export function readPageSize(ctx: Context): PageSize {
  return pageSizes.find((size) => String(size) === queryText(ctx, 'perPage')) ?? defaultPageSize;
}
