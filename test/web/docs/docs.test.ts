import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { expectAccessible } from '../../support/accessible.ts';
import { narrowPhone } from '../../support/browser.ts';
import { inABrowser } from '../../support/in-a-browser.ts';
import { sharedService } from '../../support/shared-service.ts';
import { isTooWide } from '../../support/web-visitor.ts';

interface ObjectSchema {
  properties?: Record<string, ObjectSchema & { items?: ObjectSchema; deprecated?: boolean }>;
}

interface OpenApi {
  paths: Record<string, Record<string, Operation>>;
  webhooks: Record<string, { post: { requestBody: JsonBody; parameters: { name: string }[] } }>;
  components: {
    schemas: Record<string, ObjectSchema>;
    requestBodies: Record<string, { content: { 'application/json': { schema: ObjectSchema } } }>;
    headers: Record<string, object>;
  };
}

interface JsonBody {
  content: { 'application/json': { schema: { $ref: string }; example: object } };
}

interface Operation {
  operationId: string;
  summary: string;
  parameters: { name: string; in: string; required: boolean; example?: string }[];
  requestBody?: { $ref?: string };
  responses: Record<string, { content?: Record<string, object> }>;
}

inABrowser('The API reference', sharedService, (site) => {
  let page: Page;
  let document: OpenApi;
  let operations: (Operation & { method: string; path: string })[];

  before(async () => {
    document = (await (await fetch(`${site.service.url}/api/v1/openapi.json`)).json()) as OpenApi;
    operations = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => ({ ...operation, method, path })),
    );
    ({ page } = await site.visit());
  });
  beforeEach(() => page.goto('/docs'));

  it('has every operation of the document, in the navigation and under its own anchor', async () => {
    expect(await page.title()).to.equal('API · Qrelay');
    expect(operations).to.have.length.above(0);
    expect(await page.locator('.docs-operation').count()).to.equal(operations.length);
    const navigation = page.getByRole('navigation', { name: 'API reference' });
    for (const { operationId, summary, method, path } of operations) {
      const link = navigation.getByRole('link', { name: `${method.toUpperCase()} ${summary}`, exact: true });
      await link.click();
      expect(new URL(page.url()).hash).to.equal(`#${operationId}`);
      const address = await page.locator(`#${operationId} .docs-address`).textContent();
      expect(address).to.equal(`${method.toUpperCase()} /api/v1${path}`);
    }
  });

  /** With those of objects in it, such as `grid.rows` and `qrCodes[].name`; a former name has those of the new one. */
  const fieldNames = (schema: ObjectSchema | undefined): string[] =>
    Object.entries(schema?.properties ?? {}).flatMap(([name, part]) => [
      name,
      ...(part.deprecated ? [] : fieldNames(part.items).map((inner) => `${name}[].${inner}`)),
      ...(part.deprecated ? [] : fieldNames(part).map((inner) => `${name}.${inner}`)),
    ]);

  it('has every parameter, field, status and header of the document', async () => {
    const names = (place: string) => page.locator(`${place} tbody th code`).allTextContents();
    for (const { operationId, parameters, requestBody, responses } of operations) {
      const ref = requestBody?.$ref?.split('/').at(-1) ?? '';
      const body = document.components.requestBodies[ref]?.content['application/json'].schema;
      const sent = [...parameters.map(({ name }) => name), ...fieldNames(body)];
      expect(await names(`#${operationId} table.sent`)).to.deep.equal(sent);
      const text = (await page.locator(`#${operationId}`).textContent()) ?? '';
      for (const status of Object.keys(responses)) expect(text).to.contain(status);
    }
    expect(await names('#headers')).to.deep.equal(Object.keys(document.components.headers));
    expect(await names('#readQrCode details')).to.deep.equal(
      Object.keys(document.components.schemas['QrCode']?.properties ?? {}),
    );
  });

  it('shows bounds, defaults and required fields', async () => {
    const row = (name: string) =>
      page.locator('#createQrCode table.sent tr', {
        has: page.locator('th code', { hasText: new RegExp(`^${name}$`) }),
      });
    expect(await row('size').textContent())
      .to.contain('integer')
      .and.to.contain('128 to 2048')
      .and.to.contain('default 512')
      .and.not.to.contain('required');
    expect(await row('name').textContent())
      .to.contain('required')
      .and.to.contain('1 to 100 characters');
    expect(await row('type').textContent()).to.contain('one of url, text, wifi');
    expect(await row('category').textContent()).to.contain('string or null');
  });

  it('has a command for each operation that works when pasted', async () => {
    const commands = await page.locator('pre[id$=-curl]').allTextContents();
    expect(commands).to.have.length(operations.length);
    for (const [index, { path, method, requestBody, parameters }] of operations.entries()) {
      const query = parameters
        .filter(({ in: place, required }) => place === 'query' && required)
        .map(({ name, example = '' }) => `${name}=${encodeURIComponent(example)}`);
      const address = `"https://qr.test/api/v1${[path.replace('{id}', '$ID'), ...query].join('?')}"`;
      expect(commands[index]).to.contain(address).and.to.contain('-H "Authorization: Bearer $KEY"');
      // Without a body and a method, curl sends a GET.
      const isClear = method === 'get' || (method === 'post' && requestBody !== undefined);
      if (!isClear) expect(commands[index]).to.contain(`-X ${method.toUpperCase()}`);
    }
    expect(commands.join('\n')).to.contain('/page/logo?alt=Caf%C3%A9%20Linden"');
    const create = commands[operations.findIndex(({ operationId }) => operationId === 'createQrCode')] ?? '';
    const answer = await fetch(`${site.service.url}/api/v1/qrcodes`, {
      method: 'POST',
      headers: {
        Authorization: `Bearer ${await site.service.makeKey()}`,
        'Content-Type': 'application/json',
      },
      body: /-d '(.*)'$/.exec(create)?.[1] ?? '',
    });
    expect(answer.status).to.equal(201);
  });

  it('saves the response of a command where it is a file', async () => {
    const files = operations.filter(({ responses }) =>
      Object.keys(responses['200']?.content ?? {}).some((type) => type !== 'application/json'),
    );
    expect(files.map(({ operationId }) => operationId)).to.include('printQrCodeLabels');
    for (const { operationId } of files) {
      const text = (await page.locator(`#${operationId}`).textContent()) ?? '';
      expect(text)
        .to.contain('--output file.')
        .and.to.contain('The body is a file')
        .and.not.contain('No body');
    }
  });

  it('has every event of webhooks, with its fields, an example, and how a call is verified', async () => {
    const events = Object.entries(document.webhooks);
    expect(events.map(([name]) => name)).to.include('scan.recorded');
    for (const [name, { post }] of events) {
      const event = page.locator(`[id="event-${name}"]`);
      const { schema, example } = post.requestBody.content['application/json'];
      expect(JSON.parse((await event.locator('pre').textContent()) ?? '')).to.deep.equal(example);
      const fields = await event.locator('tbody th code').allTextContents();
      const shape = document.components.schemas[schema.$ref.split('/').at(-1) ?? ''];
      expect(fields).to.include.members(Object.keys(shape?.properties ?? {}));
      const headers = post.parameters.map((header) => header.name);
      const shown = await page.locator('#events > table th code').allTextContents();
      expect(shown).to.deep.equal(headers);
    }
    expect(await page.locator('#verify-call').textContent()).to.contain('verifyWebhook(');
  });

  it('is linked in the header, signed in or not, and links to the document', async () => {
    for (const { page: anyPage } of [{ page }, await site.visitAs('docs@example.com')]) {
      const link = anyPage.getByRole('banner').getByRole('link', { name: 'Docs', exact: true });
      await anyPage.goto('/');
      await link.click();
      await anyPage.waitForURL('**/docs');
      expect(await link.getAttribute('aria-current')).to.equal('page');
    }
    expect(await page.getByRole('link', { name: 'openapi.json' }).getAttribute('href')).to.equal(
      '/api/v1/openapi.json',
    );
  });

  it('copies a command with a button, and links to the keys page', async () => {
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.getByRole('button', { name: 'Copy the command: Create a publicly shared QR code' }).click();
    await page.getByText('Copied').first().waitFor();
    expect(await page.evaluate('navigator.clipboard.readText()')).to.equal(
      await page.locator('#createQrCode-curl').textContent(),
    );
    expect(
      await page.locator('#start').getByRole('link', { name: 'API Keys' }).getAttribute('href'),
    ).to.equal('/keys');
  });

  it('is accessible, also with everything open', async () => {
    await unfold(page);
    await expectAccessible(page);
  });

  it('fits the narrowest phone, with its contents closed', async () => {
    const phone = await site.visit(narrowPhone);
    await phone.page.goto('/docs');
    const contents = phone.page.getByRole('navigation', { name: 'API reference' });
    const errors = contents.getByRole('link', { name: 'Errors' });
    expect(await errors.isVisible(), 'links before the title').to.equal(false);
    await contents.getByText('On this page').click();
    await errors.click();
    expect(new URL(phone.page.url()).hash).to.equal('#errors');
    await unfold(phone.page);
    expect(await isTooWide(phone.page)).to.equal(false);
    await expectAccessible(phone.page);
  });
});

async function unfold(page: Page): Promise<void> {
  await page.evaluate('for (const each of document.querySelectorAll("details")) each.open = true');
}
