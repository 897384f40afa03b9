import { renderToString } from 'preact-render-to-string';
import type { Reference, ShownResource } from '../api/reference.ts';
import type { DocsPage, DocsSection } from './docs-page.ts';
import { errorsGuide } from './guides/errors.tsx';
import { eventsGuide } from './guides/events.tsx';
import type { Guide } from './guides/guide.ts';
import { picturesGuide } from './guides/pictures.tsx';
import { authenticationGuide, requestsGuide } from './guides/requests.tsx';
import { idempotencyGuide, pagingGuide, rateLimitsGuide } from './guides/retries.tsx';
import { Operation } from './operation-view.tsx';
import { quickstart } from './quickstart-view.tsx';

interface DocsParts {
  reference: Reference;
  openApiPath: string;
  baseUrl: string;
}

/** By the last part of their addresses, in the order of the navigation. */
const guides: Record<string, (parts: DocsParts) => Guide> = {
  authentication: ({ reference }) => authenticationGuide(reference),
  requests: ({ reference, openApiPath }) => requestsGuide(reference, openApiPath),
  errors: ({ reference }) => errorsGuide(reference),
  'rate-limits': ({ reference }) => rateLimitsGuide(reference),
  idempotency: ({ reference }) => idempotencyGuide(reference),
  paging: ({ reference }) => pagingGuide(reference),
  pictures: ({ baseUrl }) => picturesGuide(baseUrl),
  'webhook-events': ({ reference }) => eventsGuide(reference),
};

/** The addresses of all pages, known before the document is read. */
export function docsPaths(tags: Iterable<string>): string[] {
  return ['/docs', ...[...Object.keys(guides), ...tags].map(pathOf)];
}

/** Every page of the docs: the quickstart, the concepts, then one page for each tag of the OpenAPI document. */
export function createDocsPages(parts: DocsParts): DocsPage[] {
  const { reference, baseUrl } = parts;
  const pages: DocsPage[] = [
    ...Object.entries(guides).map(([slug, guide]) => ({
      path: pathOf(slug),
      group: 'Concepts' as const,
      ...guide(parts),
    })),
    ...reference.resources.map(resourcePage),
  ];
  return [quickstart(reference, baseUrl, pages), ...pages];
}

function resourcePage({ name, description, operations }: ShownResource): DocsPage {
  return {
    path: pathOf(name),
    title: name,
    group: 'Resources',
    lead: description,
    sections: operations.map((operation) => ({
      id: operation.id,
      title: operation.summary,
      operation,
      body: <Operation operation={operation} />,
    })),
  };
}

function pathOf(name: string): string {
  return `/docs/${name.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-')}`;
}

/** What a reader might search a section for, without markup: sentences, and names that make no sentence. */
export function textOfSection({ operation, body }: DocsSection): { text: string; names?: string } {
  if (!operation) return { text: plainText(renderToString(<>{body}</>)) };
  const { method, path, description, parameters, body: fields, success } = operation;
  const names = [...parameters.flatMap((each) => each.fields), ...fields, ...success.fields].map(
    ({ name }) => name,
  );
  return {
    text: description.replaceAll('`', ''),
    names: [method, path, ...new Set(names)].join(' '),
  };
}

const entities: Record<string, string> = { '&lt;': '<', '&gt;': '>', '&quot;': '"', '&amp;': '&' };

function plainText(html: string): string {
  return html
    .replaceAll(/<[^<>]*>/g, ' ')
    .replaceAll(/&(?:lt|gt|quot|amp);/g, (entity) => entities[entity] ?? entity)
    .replaceAll(/\s+/g, ' ')
    .trim();
}
