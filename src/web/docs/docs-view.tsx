import type { ComponentChildren } from 'preact';
import { Icon } from '../ui/icons.tsx';
import { Layout } from '../ui/layout.tsx';
import type { DocsPage, DocsSection } from './docs-page.ts';
import { Method, Words } from './fields-view.tsx';
import { maxQueryLength } from './search.ts';
import { markedParts, type SearchResult } from './rank.browser.js';

const groups = ['Get started', 'Concepts', 'Resources'] as const;

/** `body` is a rendered part of the docs, or a placeholder for it. */
export function DocsView({ title, body }: { title: string; body: string }) {
  return (
    <Layout title={`${title} · Docs`} at="/docs" styles={['docs']}>
      <div class="docs" dangerouslySetInnerHTML={{ __html: body }} />
    </Layout>
  );
}

interface BodyProps {
  page: DocsPage;
  pages: DocsPage[];
  assets: string;
}

/** A page without what surrounds it: the same for everybody, so that it is rendered once. */
export function DocsBody({ page, pages, assets }: BodyProps) {
  const next = pages[pages.indexOf(page) + 1];
  const isQuickstart = page.path === '/docs';
  return (
    <Frame pages={pages} at={page.path} assets={assets}>
      <header class="docs-head">
        <p class="docs-group">{page.group}</p>
        <h1>{page.title}</h1>
        <p class="docs-lead">
          <Words text={page.lead} />
        </p>
      </header>
      <OnThisPage sections={page.sections} />
      <div class={isQuickstart ? 'docs-text docs-steps' : 'docs-text'}>
        {page.sections.map(({ id, title, operation, body }) => (
          <section key={id} id={id} class={operation && 'docs-operation'} aria-labelledby={`${id}-title`}>
            <h2 id={`${id}-title`}>
              <a href={`#${id}`}>{title}</a>
            </h2>
            {body}
          </section>
        ))}
        {next && (
          <p class="docs-next">
            <a href={next.path}>
              <span>Next</span> {next.title}
            </a>
          </p>
        )}
      </div>
    </Frame>
  );
}

interface ResultsProps {
  query: string;
  results: SearchResult[];
  pages: DocsPage[];
  assets: string;
}

/** What somebody without scripts gets, or who presses Enter before choosing a result. */
export function SearchBody({ query, results, pages, assets }: ResultsProps) {
  return (
    <Frame pages={pages} at={undefined} query={query} assets={assets}>
      <header class="docs-head">
        <p class="docs-group">Search</p>
        <h1>
          {results.length === 0 ? 'Nothing found' : 'Results'} for “<bdi>{query}</bdi>”
        </h1>
      </header>
      <div class="docs-text">
        {results.length === 0 ? (
          <p>
            Try fewer or other words, or look at <a href="/docs#contents">everything in these docs</a>.
          </p>
        ) : (
          <ol class="docs-results">
            {results.map(({ title, page, href, method, snippet }) => (
              <li key={href}>
                <a href={href}>
                  {method && <Method name={method} />} {title}
                </a>
                <p>
                  <span class="quiet">{page}</span> <Marked text={snippet} query={query} />
                </p>
              </li>
            ))}
          </ol>
        )}
      </div>
    </Frame>
  );
}

function Marked({ text, query }: { text: string; query: string }) {
  return (
    <>
      {markedParts(text, query).map((part, index) =>
        index % 2 === 1 ? <mark key={index}>{part}</mark> : part,
      )}
    </>
  );
}

interface FrameProps {
  pages: DocsPage[];
  at: string | undefined;
  query?: string;
  assets: string;
  children: ComponentChildren;
}

function Frame({ pages, at, query, assets, children }: FrameProps) {
  return (
    <>
      {/* Not a module: it must know the language before the examples are drawn, or the page would jump. */}
      <script src={`${assets}/docs/language.browser.js`} />
      <div class="docs-side">
        <form class="docs-search" role="search" action="/docs" method="get">
          <label class="unseen" for="docs-q">
            Search the docs
          </label>
          <Icon name="search" />
          <input
            id="docs-q"
            type="search"
            name="q"
            placeholder="Search the docs"
            maxLength={maxQueryLength}
            value={query}
            autocomplete="off"
            spellcheck={false}
          />
          <kbd aria-hidden="true">/</kbd>
        </form>
        <details class="docs-menu">
          <summary>All pages</summary>
          <nav aria-label="Docs">
            <PageLinks pages={pages} at={at} />
          </nav>
        </details>
        <nav class="docs-nav" aria-label="Docs">
          <PageLinks pages={pages} at={at} />
        </nav>
      </div>
      {children}
      <script type="module" src={`${assets}/docs/docs.browser.js`} />
    </>
  );
}

/** Twice on the page, of which one is displayed: links in a closed `details` cannot be focused. */
function PageLinks({ pages, at }: { pages: DocsPage[]; at: string | undefined }) {
  return (
    <>
      {groups.map((group) => (
        <div key={group}>
          <p class="docs-group">{group}</p>
          <ul>
            {pages
              .filter((page) => page.group === group)
              .map(({ path, title }) => (
                <li key={path}>
                  <a href={path} aria-current={path === at ? 'page' : undefined}>
                    {title}
                  </a>
                </li>
              ))}
          </ul>
        </div>
      ))}
    </>
  );
}

/** On phones only where it lists operations: a list of headings would push the text away. */
function OnThisPage({ sections }: { sections: DocsSection[] }) {
  const hasOperations = sections.some(({ operation }) => operation !== undefined);
  return (
    <nav class={hasOperations ? 'docs-toc operations' : 'docs-toc'} aria-label="On this page">
      <p class="docs-group">On this page</p>
      <ul>
        {sections.map(({ id, title, operation }) => (
          <li key={id}>
            <a href={`#${id}`}>
              {operation && <Method name={operation.method} />} {title}
            </a>
          </li>
        ))}
      </ul>
    </nav>
  );
}
