import Router from '@koa/router';
import { h } from 'preact';
import { renderToString } from 'preact-render-to-string';
import { buildOpenApi } from '../api/openapi.ts';
import type { OpenApiDocument } from '../api/openapi-document.ts';
import { readReference } from '../api/reference.ts';
import { openApiPath, operations } from '../api/router.ts';
import { DocsBody, DocsView } from './docs-view.tsx';
import { type PageParts, show, visitorOf } from '../ui/page.ts';

/** The API reference, rendered from the OpenAPI document. */
export function docsPage(parts: PageParts): Router {
  const document = buildOpenApi(operations, parts.config) as unknown as OpenApiDocument;
  let body: string | undefined;
  const router = new Router();
  router.get('/docs', (ctx) => {
    // Rendered once: it takes longer than any other page and needs no account.
    body ??= renderToString(h(DocsBody, { reference: readReference(document), openApiPath }));
    show(ctx, DocsView, { visitor: visitorOf(ctx, parts), body });
  });
  return router;
}
