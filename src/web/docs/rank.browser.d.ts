/** A section of the docs, in the search index. */
export interface SearchEntry {
  title: string;
  /** The title of its page. */
  page: string;
  href: string;
  /** Where it is an operation. */
  method?: string;
  text: string;
  /** Found, but not shown. */
  names?: string;
}

export interface SearchResult extends Omit<SearchEntry, 'text' | 'names'> {
  snippet: string;
}

/** The text in parts, of which every second one is a word of the query. */
export function markedParts(text: string, query: string): string[];

export function rank(entries: SearchEntry[], query: string, limit: number): SearchResult[];
