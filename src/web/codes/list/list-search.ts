import type { Context } from 'koa';
import { ended, expiringWithin } from '../../../codes/lifetime.ts';
import { normalizeLabel } from '../../../codes/label.ts';
import { codeTypes, type CodeType } from '../../../codes/content/content-types.ts';
import type { CodeSearch } from '../../../codes/search-codes.ts';
import { queryText } from '../../ui/form.ts';

/** Days, for the filter by when codes expire. */
export const endPeriods = [7, 30, 90] as const;
export const hasEnded = 'ended';

/** The search and filters of the list. */
export interface Search {
  q: string;
  type: CodeType | undefined;
  category: string;
  /** Days until they expire; `ended` for codes that have expired. */
  endsWithin: number | typeof hasEnded | undefined;
}

/** The search as a query of the database. */
export function codeSearchOf({ q: name, type, category, endsWithin }: Search, now: Date): CodeSearch {
  const expiring = endsWithin === hasEnded ? ended(now) : expiringWithin(endsWithin, now);
  return { name, type, category, expiring };
}

export function readSearch(ctx: Context): Search {
  return {
    q: normalizeLabel(queryText(ctx, 'q')),
    type: codeTypes.find((type) => type === queryText(ctx, 'type')),
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
