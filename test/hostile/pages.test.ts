import { expect } from 'chai';
import { startSession } from '../../src/accounts/sessions.ts';
import { findUserByEmail } from '../../src/accounts/users.ts';
import { apiClient } from '../support/api-client.ts';
import { formClient } from '../support/form-client.ts';
import { sendRaw } from '../support/raw-request.ts';
import { startService, type TestService } from '../support/service.ts';
import { createCode } from '../support/share.ts';
import { expectNoInternalDetails } from './no-internal-details.ts';
import { pageAddressRows } from './page-addresses.ts';
import { formRows } from './page-forms.ts';
import type { PageRow } from './page-row.ts';
import { signInRows } from './page-sign-ins.ts';

const pageRows = [...pageAddressRows, ...signInRows, ...formRows];
const email = 'hostile@example.com';
const asForm: [string, string] = ['Content-Type', 'application/x-www-form-urlencoded'];

/** The visible text of the page. */
const wordsOf = (html: string) =>
  (/<main[^]*<\/main>/.exec(html)?.[0] ?? html)
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&')
    .replaceAll(/\s+/g, ' ');

describe(`Hostile input to the pages (${pageRows.length} cases)`, () => {
  let service: TestService;
  let id: string;
  let trashed: string;
  let visitor: string;
  let session: string;
  let csrfToken: string;

  before(async () => {
    service = await startService();
    const api = apiClient(service.url, await service.makeKey({ email }));
    id = (await createCode(api)).id;
    trashed = (await createCode(api)).id;
    await api(`/qrcodes/${trashed}`, { method: 'DELETE' });
    const user = await findUserByEmail(service.db, email);
    session = `__Host-qrelay-session=${await startSession(service.db, user.id, new Date())}`;
    const client = formClient(service.url);
    const page = await (await client.get('/signin')).text();
    csrfToken = /name="csrfToken" value="([^"]+)"/.exec(page)?.[1] ?? '';
    visitor = `__Host-qrelay-visitor=${client.cookies.get('__Host-qrelay-visitor')}`;
  });
  after(() => service.stop());

  function ask({ method, path, headers = [], form, withoutSession }: PageRow) {
    const named = new Set(headers.map(([name]) => name));
    const cookies = withoutSession ? [visitor] : [visitor, session];
    return sendRaw(service.url, {
      method,
      path: path.replaceAll(':id', id).replaceAll(':trashed', trashed),
      headers: [
        ['Accept', 'text/html'],
        ['Cookie', cookies.join('; ')],
        ...(form && !named.has('Content-Type') ? [asForm] : []),
        ...headers,
      ],
      body: form?.replaceAll('{token}', csrfToken),
    });
  }

  for (const row of pageRows) {
    it(`${row.name}: ${row.gets.status}`, async () => {
      const { status, headers, text } = await ask(row);
      const words = wordsOf(text);
      expect(status, words).to.equal(row.gets.status);
      if (row.gets.says) expect(words.includes(row.gets.says), `${row.gets.says} in ${words}`).to.equal(true);
      if (row.gets.allow) expect(headers.get('Allow')).to.equal(row.gets.allow);
      if (row.gets.location) expect(headers.get('Location')).to.equal(row.gets.location);
      expect(headers.get('X-Request-Id')).to.match(/^[0-9a-f-]{36}$/);
      expect(headers.get('Content-Security-Policy')).to.contain("script-src 'self'");
      expect([...headers].flat().join()).to.not.contain('evil.example');
      expect(text).to.not.match(/<script>|(?:href|action|value)="[^"]*evil\.example/);
      expectNoInternalDetails(text);
    });
  }

  it('has no duplicate name, so that a failing case can be found', () => {
    const names = pageRows.map(({ name }) => name);
    expect(names.filter((name, index) => names.indexOf(name) !== index)).to.deep.equal([]);
  });

  it('created no code, key or account, and left the codes unchanged', async () => {
    const codes: unknown[] = await service
      .db('qr_codes')
      .select('id', 'name', 'content', 'is_public')
      .orderByRaw('user_id IS NULL');
    const unchanged = { name: 'Test', content: 'https://example.com/target', is_public: true };
    expect(codes).to.deep.equal([
      { id, ...unchanged },
      { id: trashed, ...unchanged },
    ]);
    expect(await service.db('trashed_codes').pluck('code_id')).to.deep.equal([trashed]);
    expect(await service.db('users').pluck('email')).to.deep.equal([email]);
    const keys: unknown[] = await service.db('api_keys').select('name', 'revoked_at');
    expect(keys).to.deep.equal([{ name: 'test', revoked_at: null }]);
  });
});
