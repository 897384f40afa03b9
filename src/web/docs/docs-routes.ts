import { h, type VNode } from 'preact';
import { renderToString } from 'preact-render-to-string';
import { basePathOf } from '../../http/base-path.ts';
import { buildOpenApi } from '../api/openapi.ts';
import { type OpenApiDocument, readReference } from '../api/reference.ts';
import { openApiPath, operations } from '../api/router.ts';
import { type Compressible, compressible, sendCompressed } from '../compressible.ts';
import { prefixLinksIn } from '../middleware/prefix-links.ts';
import { render } from '../ui/layout.tsx';
import type { Visitor } from '../ui/visitor.ts';
import type { Services } from '../services.ts';
import { visitorOf } from '../ui/page.ts';
import { DocsBody, DocsView } from './docs-view.tsx';
import { type Routes, createRoutes } from '../routes.ts';

const type = 'text/html; charset=utf-8';
/** Stands for the reference while the page around it is rendered. */
const placeholder = '<!--reference-->';

/**
 * The API reference, rendered from the OpenAPI document. It is our largest page: encoding its text again for each visitor
 * would take milliseconds, so it is kept as bytes.
 */
export function docsPage(parts: Services): Routes {
  const basePath = basePathOf(parts.config.baseUrl);
  let body: Buffer | undefined;
  let publicPage: Compressible | undefined;

  function renderBody(): Buffer {
    const document = buildOpenApi(operations, parts.config) as unknown as OpenApiDocument;
    const reference = readReference(document);
    return Buffer.from(prefixLinksIn(renderToString(h(DocsBody, { reference, openApiPath })), basePath));
  }

  function renderFor(visitor: Visitor): Buffer {
    body ??= renderBody();
    const page = prefixLinksIn(render(h(DocsView, { body: placeholder }) as VNode, visitor), basePath);
    const [before = '', after = ''] = page.split(placeholder);
    return Buffer.concat([Buffer.from(before), body, Buffer.from(after)]);
  }

  const routes = createRoutes();
  routes.get('stranger', '/docs', async (ctx) => {
    const visitor = visitorOf(ctx, parts);
    if (visitor.email === undefined) {
      // Without a form and without times, so neither the token nor the locale of this visitor is in it.
      publicPage ??= compressible(type, renderFor({ ...visitor, csrfToken: '', locale: 'en' }));
      await sendCompressed(ctx, publicPage);
    } else {
      ctx.type = type;
      ctx.body = renderFor(visitor);
    }
  });
  return routes;
}
