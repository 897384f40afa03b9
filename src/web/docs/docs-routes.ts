import type { Context } from 'koa';
import { h, type VNode } from 'preact';
import { renderToString } from 'preact-render-to-string';
import { once } from '../../runtime/once.ts';
import { basePathOf } from '../../http/base-path.ts';
import { buildOpenApi } from '../api/openapi.ts';
import { type OpenApiDocument, readReference } from '../api/reference.ts';
import { openApiPath, operations } from '../api/router.ts';
import { loadAssets } from '../asset-files.ts';
import { type Compressible, compressible, sendCompressed } from '../compressible.ts';
import { prefixLinksIn } from '../middleware/prefix-links.ts';
import { type Routes, createRoutes } from '../routes.ts';
import type { Services } from '../services.ts';
import { render } from '../ui/layout.tsx';
import { demoName, visitorOf } from '../ui/page.ts';
import type { Visitor } from '../ui/visitor.ts';
import type { DocsPage } from './docs-page.ts';
import { createDocsPages, docsPaths } from './docs-pages.tsx';
import { DocsBody, DocsView, SearchBody } from './docs-view.tsx';
import type { SearchEntry } from './rank.browser.js';
import { createSearchIndex, maxQueryLength, searchDocs } from './search.ts';

const type = 'text/html; charset=utf-8';
/** Stands for a part of the docs while the page around it is rendered. */
const placeholder = '<!--docs-->';

/**
 * The docs, rendered from the OpenAPI document. Their pages are the same for everybody but for what surrounds them: each is
 * rendered once, and kept as compressed bytes for visitors who are not signed in.
 */
export function docsPage(parts: Services): Routes {
  const basePath = basePathOf(parts.config.baseUrl);
  const { path: assets } = loadAssets(parts.config.brand);
  const bodies = new Map<DocsPage, string>();
  const publicPages = new Map<DocsPage, Compressible>();
  // Not at startup: it takes longer than the rest of the routes together.
  const readPages = once(() => {
    const document = buildOpenApi(operations, parts.config) as unknown as OpenApiDocument;
    const reference = readReference(document);
    return createDocsPages({ reference, openApiPath, baseUrl: parts.config.baseUrl });
  });
  const readIndex = once(() => createSearchIndex(readPages()));
  const readIndexFile = once(() => {
    const linked = (entry: SearchEntry) => ({ ...entry, href: `${basePath}${entry.href}` });
    return compressible(
      'application/json; charset=utf-8',
      Buffer.from(JSON.stringify(readIndex().map(linked))),
    );
  });

  function renderBody(page: DocsPage): string {
    const known = bodies.get(page);
    if (known !== undefined) return known;
    const body = renderToString(h(DocsBody, { page, pages: readPages(), assets }) as VNode);
    bodies.set(page, body);
    return body;
  }

  function surround(body: string, title: string, visitor: Visitor): string {
    const page = render(h(DocsView, { title, body: placeholder }) as VNode, visitor);
    const [before = '', after = ''] = page.split(placeholder);
    return `${before}${body}${after}`;
  }

  /** Whoever reads them in the demo gets back to it: the docs are for strangers, so no guard has opened it. */
  function docsVisitor(ctx: Context): Visitor {
    const visitor = visitorOf(ctx, parts);
    const isInDemo = parts.demo !== undefined && visitor.email === undefined && parts.sessions.wantsDemo(ctx);
    return isInDemo ? { ...visitor, email: demoName, isDemo: true, role: 'viewer' } : visitor;
  }

  async function showPage(ctx: Context, page: DocsPage): Promise<void> {
    const visitor = docsVisitor(ctx);
    if (visitor.email !== undefined) return send(ctx, surround(renderBody(page), page.title, visitor));
    let bytes = publicPages.get(page);
    if (!bytes) {
      // Without a form to post and without times, so neither the token nor the locale of this visitor is in it.
      const anybody = { ...visitor, csrfToken: '', locale: 'en' };
      const html = prefixLinksIn(surround(renderBody(page), page.title, anybody), basePath);
      bytes = compressible(type, Buffer.from(html));
      publicPages.set(page, bytes);
    }
    await sendCompressed(ctx, bytes);
  }

  function showResults(ctx: Context, query: string): void {
    const results = searchDocs(readIndex(), query);
    const body = renderToString(h(SearchBody, { query, results, pages: readPages(), assets }) as VNode);
    send(ctx, surround(body, 'Search', docsVisitor(ctx)));
  }

  function send(ctx: Context, page: string): void {
    ctx.type = type;
    ctx.body = page;
  }

  const routes = createRoutes();
  for (const path of docsPaths(new Set(operations.map(({ tag }) => tag))))
    routes.get('stranger', path, async (ctx) => {
      const query = path === '/docs' ? readSearch(ctx.query['q']) : '';
      const page = readPages().find((each) => each.path === path);
      if (!page) throw new Error(`The docs have no page ${path}`);
      if (query === '') await showPage(ctx, page);
      else showResults(ctx, query);
    });
  routes.get('stranger', '/docs/search.json', async (ctx) => {
    ctx.set('Cache-Control', 'private, max-age=300');
    await sendCompressed(ctx, readIndexFile());
  });
  return routes;
}

/** A longer query is cut, not refused: its first words find something. */
function readSearch(given: string | string[] | undefined): string {
  const [text = ''] = [given ?? ''].flat();
  return text.slice(0, maxQueryLength).trim();
}
