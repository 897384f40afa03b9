import type { DocsPage } from './docs-page.ts';
import { textOfSection } from './docs-pages.tsx';
import { rank, type SearchEntry, type SearchResult } from './rank.browser.js';

export const maxQueryLength = 100;
const maxResults = 20;

/** An entry for each section of each page. */
export function createSearchIndex(pages: DocsPage[]): SearchEntry[] {
  return pages.flatMap((page) =>
    page.sections
      // The list of all sections would be found by every word.
      .filter(({ id }) => id !== 'contents')
      .map((section) => ({
        title: section.title,
        page: page.title,
        href: `${page.path}#${section.id}`,
        ...(section.operation && { method: section.operation.method }),
        ...textOfSection(section),
      })),
  );
}

export function searchDocs(index: SearchEntry[], query: string): SearchResult[] {
  return rank(index, query, maxResults);
}
