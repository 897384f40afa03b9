import Router from '@koa/router';
import { buildOpenApi } from '../api/openapi.ts';
import { type OpenApiDocument, readReference } from '../api/reference.ts';
import { openApiPath, operations } from '../api/router.ts';
import { DocsView } from '../views/docs.tsx';
import { type PageParts, show, visitorOf } from './page.ts';

/** The API reference: the OpenAPI document, for people. */
export function docsPage(parts: PageParts): Router {
  const document = buildOpenApi(operations, parts.config) as unknown as OpenApiDocument;
  // Read once: it is the same for everybody.
  const reference = readReference(document);
  const router = new Router();
  router.get('/docs', (ctx) =>
    show(ctx, DocsView, { visitor: visitorOf(ctx, parts), reference, openApiPath }),
  );
  return router;
}
