import { expect } from 'chai';
import { languages } from '../../../src/web/docs/examples.ts';
import { formClient, signedIn } from '../../support/form-client.ts';
import { type Element, parseHtml, selectAll, textOf } from '../../support/html.ts';
import type { TestService } from '../../support/service.ts';
import { sharedService } from '../../support/shared-service.ts';

interface ObjectSchema {
  properties?: Record<string, ObjectSchema & { items?: ObjectSchema; deprecated?: boolean }>;
}

interface JsonBody {
  content: { 'application/json': { schema: { $ref: string }; example: object } };
}

interface Operation {
  operationId: string;
  summary: string;
  tags: string[];
  parameters: { name: string; in: string; required: boolean; example?: string }[];
  requestBody?: { $ref?: string };
  responses: Record<string, { content?: Record<string, object> }>;
}

interface OpenApi {
  tags: { name: string }[];
  paths: Record<string, Record<string, Operation>>;
  webhooks: Record<string, { post: { requestBody: JsonBody; parameters: { name: string }[] } }>;
  components: {
    schemas: Record<string, ObjectSchema>;
    requestBodies: Record<string, { content: { 'application/json': { schema: ObjectSchema } } }>;
    headers: Record<string, object>;
  };
}

describe('The docs', () => {
  let service: TestService;
  let document: OpenApi;
  let operations: (Operation & { method: string; path: string })[];
  /** By path, in the order of the navigation. */
  const pages = new Map<string, Element>();
  /** By their anchors, and examples by their ids: looking for one on all pages takes a while. */
  const sections = new Map<string, Element[]>();
  const examples = new Map<string, string>();

  before(async () => {
    service = await sharedService();
    document = (await (await fetch(`${service.url}/api/v1/openapi.json`)).json()) as OpenApi;
    operations = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => ({ ...operation, method, path })),
    );
    for (const path of linksOf(await open('/docs'), '.docs-nav a')) {
      const page = await open(path);
      pages.set(path, page);
      for (const each of selectAll(page, '.docs-text > section')) {
        const { id = '' } = each.attributes;
        sections.set(id, [...(sections.get(id) ?? []), each]);
        for (const pre of selectAll(each, '.docs-sample pre'))
          examples.set(pre.attributes['id'] ?? '', textOf(pre));
      }
    }
  });

  const open = async (path: string) => parseHtml(await (await fetch(`${service.url}${path}`)).text());
  const linksOf = (root: Element, selector: string) =>
    selectAll(root, selector).map(({ attributes }) => attributes['href'] ?? '');
  const texts = (root: Element, selector: string) => selectAll(root, selector).map(textOf);

  /** Where it is on its page. No other page has it. */
  function section(id: string): Element {
    const found = sections.get(id) ?? [];
    const [only] = found;
    if (!only || found.length > 1) throw new Error(`${id} is shown ${found.length} times`);
    return only;
  }

  const pageOf = (tag = '') => `/docs/${tag.toLowerCase().replaceAll(' ', '-')}`;

  it('begin with a quickstart, then have concepts and one page for each tag of the OpenAPI document', () => {
    const paths = [...pages.keys()];
    expect(paths[0]).to.equal('/docs');
    expect(paths).to.include.members(
      ['authentication', 'errors', 'rate-limits', 'idempotency', 'paging', 'webhook-events'].map(
        (slug) => `/docs/${slug}`,
      ),
    );
    expect(paths.slice(-document.tags.length)).to.deep.equal(document.tags.map(({ name }) => pageOf(name)));
    for (const [path, page] of pages) {
      expect(linksOf(page, '.docs-nav a[aria-current=page]')).to.deep.equal([path]);
      expect(linksOf(page, '.docs-menu a'), 'the menu on phones').to.deep.equal(paths);
      expect(linksOf(page, '.docs-toc a')).to.deep.equal(
        selectAll(page, '.docs-text > section').map(({ attributes }) => `#${attributes['id']}`),
      );
      const ids = selectAll(page, '[id]').map(({ attributes }) => attributes['id']);
      expect(ids, `anchors of ${path}`).to.deep.equal([...new Set(ids)]);
    }
    expect(texts(section('start'), 'h2, pre')).to.deep.equal(['Create a key', 'export KEY=qrl_…_…']);
    expect(texts(section('first-request'), '.docs-response pre').join()).to.contain('"shareUrl"');
    expect(texts(section('read-scans'), '.docs-response pre').join()).to.contain('"scannedAt"');
  });

  it('have every operation of the document on the page of its tag, with its address', () => {
    expect(operations).to.have.length.above(50);
    for (const { operationId, summary, method, path, tags } of operations) {
      const page = pages.get(pageOf(tags[0]));
      expect(page && linksOf(page, '.docs-toc a')).to.include(`#${operationId}`);
      const operation = section(operationId);
      expect(texts(operation, 'h2')).to.deep.equal([summary]);
      expect(texts(operation, '.docs-address')).to.deep.equal([`${method.toUpperCase()} /api/v1${path}`]);
    }
  });

  it('lead from each anchor of the former single page to the page that has it now', () => {
    const former = [
      ...operations.map(({ operationId }) => operationId),
      ...Object.keys(document.webhooks).map((name) => `event-${name}`),
      'events',
      'errors',
      'headers',
      'error-404',
      'error-429',
    ];
    const entries = new Map(
      selectAll(section('contents'), 'li').map((entry) => [entry.attributes['id'], linksOf(entry, 'a')]),
    );
    for (const id of former) {
      const [link = ''] = entries.get(id) ?? [];
      const [path = '', hash] = link.split('#');
      expect(hash, `the link of ${id}`).to.equal(id);
      const page = pages.get(path);
      expect(page && linksOf(page, '.docs-toc a'), link).to.include(`#${id}`);
    }
    expect(sections.get('start')).to.have.length(1);
  });

  /** With those of objects in it, such as `grid.rows` and `qrCodes[].name`; a former name has those of the new one. */
  const fieldNames = (schema: ObjectSchema | undefined): string[] =>
    Object.entries(schema?.properties ?? {}).flatMap(([name, part]) => [
      name,
      ...(part.deprecated ? [] : fieldNames(part.items).map((inner) => `${name}[].${inner}`)),
      ...(part.deprecated ? [] : fieldNames(part).map((inner) => `${name}.${inner}`)),
    ]);

  it('have every parameter, field, status and header of the document', () => {
    for (const { operationId, parameters, requestBody, responses } of operations) {
      const ref = requestBody?.$ref?.split('/').at(-1) ?? '';
      const body = document.components.requestBodies[ref]?.content['application/json'].schema;
      const named = (isHeader: boolean) =>
        parameters.filter((each) => (each.in === 'header') === isHeader).map(({ name }) => name);
      const operation = section(operationId);
      expect(texts(operation, 'table.sent tbody th code'), operationId).to.deep.equal([
        ...named(false),
        ...fieldNames(body),
        ...named(true),
      ]);
      for (const status of Object.keys(responses)) expect(textOf(operation)).to.contain(status);
    }
    expect(texts(section('headers'), 'tbody th code')).to.deep.equal(
      Object.keys(document.components.headers),
    );
    expect(texts(section('readQrCode'), 'table:not(.sent) tbody th code')).to.deep.equal(
      Object.keys(document.components.schemas['QrCode']?.properties ?? {}),
    );
  });

  it('show bounds, defaults, required fields and what values mean', () => {
    const rowsIn = (id: string) => texts(section(id), 'tbody tr');
    const row = (wanted: string) => rowsIn('createQrCode').find((text) => text.startsWith(wanted));
    expect(row('size'))
      .to.contain('integer')
      .and.to.contain('128 to 2048')
      .and.to.contain('default 512')
      .and.not.to.contain('required');
    expect(row('name')).to.contain('required').and.to.contain('1 to 100 characters');
    expect(row('type')).to.contain('one of url, text, wifi');
    expect(row('category')).to.contain('string or null');
    expect(texts(section('errors'), 'dt')).to.include('quota_exceeded');
    expect(texts(section('errors'), 'dd')).to.include('The workspace has as much of it as its plan allows.');
  });

  it('have an example of each operation in each language, and the same for the steps of the quickstart', () => {
    const ids = ['quickstart-create', 'quickstart-picture', 'quickstart-scans', 'picture-example'];
    ids.push(...operations.map(({ operationId }) => `${operationId}-example`));
    for (const id of ids)
      for (const language of languages)
        expect(examples.get(`${id}-${language.id}`), `${id} in ${language.name}`).to.contain(
          'https://qr.test/',
        );
    const files = operations.filter(({ responses }) =>
      Object.keys(responses['200']?.content ?? {}).some((type) => type !== 'application/json'),
    );
    expect(files.map(({ operationId }) => operationId)).to.include('printQrCodeLabels');
    for (const { operationId } of files)
      expect(textOf(section(operationId)))
        .to.contain('--output file.')
        .and.to.contain('The body is a file')
        .and.not.contain('No body');
  });

  it('have every event of webhooks, with its fields, an example, and how a call is verified', () => {
    const events = Object.entries(document.webhooks);
    expect(events.map(([name]) => name)).to.include('scan.recorded');
    for (const [name, { post }] of events) {
      const event = section(`event-${name}`);
      const { schema, example } = post.requestBody.content['application/json'];
      expect(JSON.parse(texts(event, 'pre').join())).to.deep.equal(example);
      const shape = document.components.schemas[schema.$ref.split('/').at(-1) ?? ''];
      expect(texts(event, 'tbody th code')).to.include.members(Object.keys(shape?.properties ?? {}));
      expect(texts(section('events'), 'tbody th code')).to.deep.equal(
        post.parameters.map((header) => header.name),
      );
    }
    expect(texts(section('verify-call'), 'pre').join('\n'))
      .to.contain('verifyWebhook(')
      .and.to.contain('hmac.compare_digest(')
      .and.to.contain('hash_equals(');
  });

  it('offer to try each operation, with nothing that a browser would send by itself', () => {
    for (const { operationId, method, path, parameters } of operations) {
      const [form] = selectAll(section(operationId), 'form[data-try]');
      if (!form) throw new Error(`${operationId} cannot be tried`);
      const { attributes } = form;
      expect([attributes['data-try'], attributes['data-path']]).to.deep.equal([
        method.toUpperCase(),
        `/api/v1${path}`,
      ]);
      expect('data-asks' in attributes, `${operationId} asks first`).to.equal(method !== 'get');
      expect(selectAll(form, '[name]'), 'inputs with a name').to.deep.equal([]);
      const inputs = selectAll(form, '[data-place]').map((input) => input.attributes['data-name']);
      expect(inputs).to.deep.equal(parameters.filter((each) => each.in !== 'header').map(({ name }) => name));
    }
  });

  it('are linked in the header, signed in or not, and link to the document and to the keys', async () => {
    for (const client of [formClient(service.url), await signedIn(service, 'docs@example.com')]) {
      const headerOf = async (path: string) =>
        /<header[^]*?<\/header>/.exec(await (await client.get(path)).text())?.[0];
      expect(await headerOf('/')).to.match(/<a href="\/docs"[^>]*>(?:<svg[^]*?<\/svg>)?Docs<\/a>/);
      expect(await headerOf('/')).not.to.match(/<a href="\/docs" aria-current/);
      for (const path of ['/docs', '/docs/errors'])
        expect(await headerOf(path)).to.match(/<a href="\/docs" aria-current="page"/);
    }
    expect(linksOf(section('base-url'), 'a')).to.include('/api/v1/openapi.json');
    expect(linksOf(section('start'), 'a')).to.include('/keys');
  });

  it('have no other page', async () => {
    for (const path of ['/docs/nothing', '/docs/QR-codes', '/docs/qr-codes/more', '/docs/__proto__'])
      expect((await fetch(`${service.url}${path}`)).status, path).to.equal(404);
  });

  describe('search', () => {
    const search = async (query: string) => {
      const response = await fetch(`${service.url}/docs?q=${encodeURIComponent(query)}`);
      expect(response.status).to.equal(200);
      return parseHtml(await response.text());
    };
    const found = async (query: string) => linksOf(await search(query), '.docs-results a');

    it('finds operations, fields and concepts without scripts, best first', async () => {
      expect((await found('analytics days'))[0]).to.equal('/docs/scans-and-analytics#readQrCodeAnalytics');
      expect((await found('ROTATE-SECRET'))[0]).to.equal('/docs/webhooks#rotateWebhookSecret');
      expect((await found('idempotency'))[0]).to.equal('/docs/idempotency#idempotency-key');
      expect(await found('429')).to.include('/docs/errors#error-429');
      expect(await found('bleedMm')).to.deep.equal(['/docs/pictures#pictures']);
      for (const link of await found('logo')) {
        const [path = '', id = ''] = link.split('#');
        expect(linksOf(pages.get(path) ?? parseHtml(''), '.docs-toc a'), link).to.include(`#${id}`);
      }
    });

    it('takes input as words, whatever characters it has, and is bounded', async () => {
      const page = await search('"><script>alert(1)</script> (a+)+$');
      expect(texts(page, 'h1').join()).to.contain('Nothing found for').and.to.contain('<script>alert(1)');
      expect(selectAll(page, '#docs-q')[0]?.attributes['value']).to.contain('"><script>');
      expect(await found('.*')).to.deep.equal([]);
      const long = await search('key '.repeat(2_000));
      expect(textOf(selectAll(long, 'h1')[0] ?? '')).to.have.length.below(130);
      expect(await found('a')).to.have.length(20);
      expect(await found('   ')).to.deep.equal([]);
      const twice = await fetch(`${service.url}/docs?q=logo&q=key`);
      expect(twice.status).to.equal(200);
    });

    it('has an index for scripts, of all sections of all pages', async () => {
      const response = await fetch(`${service.url}/docs/search.json`);
      expect(response.headers.get('Content-Type')).to.equal('application/json; charset=utf-8');
      const entries = (await response.json()) as { href: string; title: string }[];
      const links = [...pages].flatMap(([path, page]) =>
        linksOf(page, '.docs-toc a').map((hash) => `${path}${hash}`),
      );
      expect(entries.map(({ href }) => href)).to.deep.equal(
        links.filter((link) => link !== '/docs#contents'),
      );
    });
  });
});
