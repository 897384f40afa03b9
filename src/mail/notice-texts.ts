import type { Draft } from './mail-texts.ts';

/** Where an address of a code leads, as far as it can be told. */
export type DestinationProblem = 'gone' | 'unreachable';

export interface Week {
  /** The first and the last day, in words. */
  from: string;
  to: string;
  scans: number;
  /** In the week before. */
  before: number;
  top: { name: string; scans: number }[];
}

/** A list in a mail: what is shown, and how many more there are. */
export interface Listed<Item> {
  items: Item[];
  more: number;
}

/** Every text of the notices to owners, in one language. `page` is where the button leads. */
export interface NoticeTexts {
  /** The link that switches off notices of a kind. */
  unsubscribe: string;
  ending(codes: Listed<{ name: string; days: number }>, page: string): Draft;
  firstScan(codes: Listed<{ name: string }>, page: string): Draft;
  weekly(week: Week, page: string): Draft;
  silence(codes: Listed<{ name: string; usual: number }>, page: string): Draft;
  destination(codes: Listed<{ name: string; url: string; problem: DestinationProblem }>, page: string): Draft;
}

/** The lines of a list, and "and 3 more" at its end. */
export function linesOf<Item>(
  { items, more }: Listed<Item>,
  line: (item: Item) => string,
  andMore: (count: number) => string,
): string[] {
  return [...items.map(line), ...(more > 0 ? [andMore(more)] : [])];
}

/** The subject names the code if there is one only. */
export function oneOrMany<Item>(
  { items, more }: Listed<Item>,
  one: (item: Item) => string,
  many: (count: number) => string,
): string {
  const [first] = items;
  const count = items.length + more;
  return first && count === 1 ? one(first) : many(count);
}
