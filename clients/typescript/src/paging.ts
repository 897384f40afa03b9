export interface Page<Item, Cursor = string> {
  data: Item[];
  /** Null on the last page. */
  nextCursor: Cursor | null;
}

/** All items of all pages. A page is read when its first item is asked for. */
export async function* everyItem<Item, Cursor = string>(
  readPage: (cursor: Cursor | undefined) => Promise<Page<Item, Cursor>>,
): AsyncGenerator<Item, void, undefined> {
  let cursor: Cursor | undefined;
  do {
    const page = await readPage(cursor);
    yield* page.data;
    cursor = page.nextCursor ?? undefined;
  } while (cursor !== undefined);
}

/** The same as an array, for lists that are short. */
export async function allItems<Item>(
  readPage: (cursor: string | undefined) => Promise<Page<Item>>,
): Promise<Item[]> {
  const items: Item[] = [];
  for await (const item of everyItem(readPage)) items.push(item);
  return items;
}

/** With a `?`, or empty. */
export function queryString(query: object): string {
  const pairs = Object.entries(query).filter(([, value]) => value !== undefined);
  const text = new URLSearchParams(pairs.map(([name, value]) => [name, String(value)])).toString();
  return text === '' ? '' : `?${text}`;
}
