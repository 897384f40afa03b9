import { expect } from 'chai';
import { normalizeDesign } from '../../../src/codes/design/design.ts';
import { newLogo } from '../../../src/codes/design/stored-logo.ts';
import { proveDesign } from '../../../src/codes/proof/prove-design.ts';
import { demoCodes, landingCode } from '../../../src/demo/demo-codes.ts';
import { demoLogo, demoReadsAtMm, toDesign } from '../../../src/demo/demo-designs.ts';
import { dayMs } from '../../../src/runtime/units.ts';
import { allRoutes } from '../../hostile/routes.ts';
import { eventually } from '../../support/eventually.ts';
import { formClient, type FormClient, sessionOf } from '../../support/form-client.ts';
import { startService, type TestService } from '../../support/service.ts';
import { sharedProofs } from '../../support/shared-threads.ts';
import { iPhoneSafari, openShare } from '../../support/share.ts';
import { type WorkspaceId } from '../../../src/workspaces/workspace.ts';

const demoCookie = '__Host-qrelay-demo';

describe('The demo account', () => {
  let service: TestService;
  let visitor: FormClient;
  let ids: { user: string; code: string; style: string };
  let requests = 0;

  before(async () => {
    // Each request comes from an address of its own, because the limits per address are not the subject.
    service = await startService({ config: { trustProxyHops: 1 }, worker: true });
    expect(await service.db('users').where('email', 'like', '%.invalid')).to.deep.equal([]);
    // Whoever sees the landing page may open the demo next, and should not wait for it to be made.
    expect((await fetch(service.url, { headers: from() })).status).to.equal(200);
    await eventually(async () => expect(await service.db('demo_account')).to.have.length(1));
    visitor = formClient(service.url);
    const entered = await visitor.get('/demo', from());
    expect([entered.status, entered.headers.get('location')]).to.deep.equal([303, '/codes']);
    const row = await service.db('demo_account').first();
    const style = await service.db('styles').where({ user_id: row.user_id }).first();
    ids = { user: row.user_id, code: row.code_id, style: style.id };
  });
  after(() => service.stop());

  const from = () => {
    requests += 1;
    return { 'X-Forwarded-For': `10.0.${requests >> 8}.${requests & 255}` };
  };
  const fill = (path: string) =>
    path.replace(':id', path.includes('styles') ? ids.style : ids.code).replace(/:\w+/g, 'x');
  const sendAs = (client: FormClient, method: string, path: string, accept = 'text/html') =>
    fetch(service.url + path, {
      method,
      redirect: 'manual',
      headers: {
        ...from(),
        Accept: accept,
        Cookie: [...client.cookies].map((each) => each.join('=')).join('; '),
        'Sec-Fetch-Site': 'same-origin',
        ...(method !== 'GET' && { 'Content-Type': 'application/x-www-form-urlencoded' }),
      },
      ...(method !== 'GET' && { body: '' }),
    });

  it('opens at one click, with a year of invented scans, and says on every page what it is', async () => {
    const list = await (await visitor.get('/codes', from())).text();
    for (const { name } of [...demoCodes, landingCode('')]) expect(list).to.contain(name);
    expect(list).to.contain('Live demo').and.to.contain('action="/demo/leave"');
    expect(list).not.to.contain('href="/account"').and.not.to.contain('href="/keys"');
    expect(list).not.to.contain('.invalid');
    const page = await (await visitor.get(`/codes/${ids.code}`, from())).text();
    expect(page).to.contain('Live demo').and.to.contain('/design');
    const { count } = (await service.db('scans').count('* as count').first()) as { count: number };
    expect(count).to.be.within(6_000, 6_010);
  });

  it('is created once, however many open it at the same time', async () => {
    const answers = await Promise.all(
      [1, 2, 3, 4].map(() => sendAs(formClient(service.url), 'GET', '/demo')),
    );
    expect(answers.map(({ status }) => status)).to.deep.equal([303, 303, 303, 303]);
    expect(await service.db('users').where('email', 'like', '%.invalid')).to.have.length(1);
  });

  it('shows its pages', async () => {
    const pages = allRoutes.filter(
      ({ access, method, path }) =>
        access.endsWith(' or demo') && method === 'GET' && !path.endsWith('/events'),
    );
    expect(pages.length).to.be.above(12);
    for (const { path } of pages) {
      const answer = await sendAs(visitor, 'GET', fill(path), '*/*');
      // A preview and labels want parameters, and the landing page's code has neither photo nor logo, and is not in the trash.
      expect(answer.status, path).to.be.oneOf(
        /preview|labels|page-logo|photo|brand\/logo|trash\/:id/.test(path) ? [200, 400, 404] : [200],
      );
    }
  });

  it('offers no page that it does not show, and no button that it refuses', async () => {
    const start = [
      '/codes',
      `/codes/${ids.code}`,
      `/codes/${ids.code}/edit`,
      `/codes/${ids.code}/design`,
      `/codes/styles/${ids.style}`,
      '/codes/new',
      '/codes/new?type=wifi',
      '/codes/styles',
      '/codes/brand',
      '/codes/trash',
    ];
    const offered = new Set<string>();
    const sent = new Set<string>();
    for (const path of start) {
      const page = await (await visitor.get(path, from())).text();
      for (const [, href = ''] of page.matchAll(/(?:href|formaction)="(\/codes[^"#]*)/g))
        offered.add(href.replaceAll('&amp;', '&'));
      for (const [, action = '', form = ''] of page.matchAll(
        /<form method="post" action="([^"]+)"[^>]*>(.*?)<\/form>/gs,
      ))
        if (/<button[^>]* type="submit"/.test(form)) sent.add(action);
    }
    // Forms that it shows to be tried have no button that would be refused.
    expect([...sent]).to.deep.equal(['/demo/leave']);
    expect(offered.size).to.be.above(30);
    expect([...offered].join(' '))
      .to.contain('scans.csv')
      .and.to.contain('/codes/new/file');
    const refused: string[] = [];
    for (const path of offered) {
      const { status } = await sendAs(visitor, 'GET', path, '*/*');
      if (status >= 400) refused.push(`${path}: ${status}`);
    }
    expect(refused).to.deep.equal([]);
  });

  it('says that a new code cannot be saved before somebody fills in the form', async () => {
    for (const path of ['/codes/new', '/codes/new/file']) {
      const page = await (await visitor.get(path, from())).text();
      expect(page).to.contain('The demo saves no codes').and.to.contain('Sign up to create your own');
      expect(page).not.to.contain('>Create QR code<');
    }
  });

  it('keeps its way back in the docs', async () => {
    const docs = await (await visitor.get('/docs', from())).text();
    expect(docs).to.contain('action="/demo/leave"').and.to.contain('href="/codes"');
    expect(await (await fetch(`${service.url}/docs`)).text()).not.to.contain('Live demo');
  });

  describe('is read only', () => {
    const fingerprint = async () =>
      Promise.all(
        [
          'qr_codes',
          'designs',
          'styles',
          'brands',
          'page_logos',
          'code_files',
          'users',
          'api_keys',
          'webhook_endpoints',
          'sessions',
          'account_exports',
        ].map(async (table) => JSON.stringify(await service.db(table).orderBy(1).select())),
      );
    const closed = allRoutes.filter(
      ({ access, method }) => ['viewer', 'editor', 'owner', 'person'].includes(access) && method !== 'HEAD',
    );

    it(`refuses all ${closed.length} pages and forms for users in words, and nothing changes`, async () => {
      const before = await fingerprint();
      for (const { method, path } of closed) {
        const answer = await sendAs(visitor, method, fill(path));
        expect(answer.status, `${method} ${path}`).to.equal(403);
        const text = await answer.text();
        expect(text, path).to.contain(
          method === 'GET' ? 'not part of the demo' : 'nothing in it can be changed',
        );
        expect(text).to.contain('Back to the demo').and.to.contain('href="/signup"');
        const json = await sendAs(visitor, method, fill(path), 'application/json');
        expect(json.status, `${method} ${path}`).to.equal(403);
        expect(await json.json())
          .to.have.property('message')
          .that.contains('demo');
      }
      expect(await fingerprint()).to.deep.equal(before);
    });

    it('accepts no form but previews', () => {
      const accepted = allRoutes.filter(
        ({ access, method }) => access.endsWith(' or demo') && !['GET', 'HEAD'].includes(method),
      );
      expect(accepted.map(({ method, path }) => `${method} ${path}`)).to.deep.equal([
        'POST /codes/preview',
        'POST /codes/new/design/preview',
        'POST /codes/styles/new/design/preview',
        'POST /codes/:id/design/preview',
        'POST /codes/styles/:id/design/preview',
      ]);
    });

    it('shows the code of nobody else, and no door for operators and programs', async () => {
      const key = await service.makeKey();
      const created = await fetch(`${service.url}/api/v1/qrcodes`, {
        method: 'POST',
        headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
        body: JSON.stringify({ name: 'Secret', content: 'https://example.com' }),
      });
      const { id } = (await created.json()) as { id: string };
      for (const path of [
        `/codes/${id}`,
        `/codes/${id}/design`,
        `/codes/${id}/picture.svg`,
        '/admin',
        '/admin/users',
      ])
        expect((await sendAs(visitor, 'GET', path)).status, path).to.equal(404);
      expect((await sendAs(visitor, 'GET', '/api/v1/qrcodes')).status).to.equal(401);
    });
  });

  it('lets its visitors sign up and sign in, which ends the demo', async () => {
    const client = formClient(service.url);
    await client.get('/demo', from());
    expect(client.cookies.get(demoCookie)).to.equal('1');
    expect((await client.get('/signup', from())).status).to.equal(200);
    client.cookies.set('__Host-qrelay-session', await sessionOf(service, 'own@example.com'));
    const own = await (await client.get('/codes', from())).text();
    expect(own).not.to.contain('Live demo').and.not.to.contain('Menu, table cards');
    expect((await client.get('/demo', from())).headers.get('location')).to.equal('/codes');
  });

  it('is left by a form', async () => {
    const client = formClient(service.url);
    await client.get('/demo', from());
    await client.get('/codes', from());
    const left = await client.post('/demo/leave', {}, { ...from(), 'Sec-Fetch-Site': 'same-origin' });
    expect([left.status, left.headers.get('location')]).to.deep.equal([303, '/']);
    expect(client.cookies.has(demoCookie)).to.equal(false);
    expect((await client.get('/codes', from())).headers.get('location')).to.match(/^\/signin\?/);
  });

  it('counts who scans the code of the landing page, and leads them to that scan', async () => {
    const count = async () =>
      (await service.db('scans').where({ qr_code_id: ids.code }).count('* as n').first())?.['n'];
    const before = await count();
    const scanned = await fetch(`${service.url}/demo/scan`, {
      redirect: 'manual',
      headers: { ...from(), 'User-Agent': iPhoneSafari },
    });
    const token = /^\/r\/(\w{10})$/.exec(scanned.headers.get('location') ?? '')?.[1] ?? '';
    const page = await (await openShare(service.url, token)).text();
    expect(page).to.contain('You scanned a dynamic code').and.to.contain('href="https://qr.test/demo/code"');
    await eventually(async () => expect(await count()).to.equal(Number(before) + 1));
    const led = await fetch(`${service.url}/demo/code`, { redirect: 'manual', headers: from() });
    expect(led.headers.get('location')).to.equal(`/codes/${ids.code}`);
  });

  it('shares out live streams by address: one visitor cannot end those of another', async () => {
    const stream = async (address: string) => {
      const { body } = await fetch(`${service.url}/codes/${ids.code}/events`, {
        headers: { Cookie: `${demoCookie}=1`, 'X-Forwarded-For': address },
      });
      return (body as NonNullable<typeof body>).pipeThrough(new TextDecoderStream()).getReader();
    };
    type Reader = Awaited<ReturnType<typeof stream>>;
    /** Up to this text, or all of it. */
    const readUntil = async (reader: Reader, expected: string) => {
      let text = '';
      while (!text.includes(expected)) {
        const { value, done } = await reader.read();
        if (done) break;
        text += value;
      }
      return text;
    };
    const watching = await stream('203.0.113.1');
    const flood: Reader[] = [];
    for (let count = 0; count < 21; count += 1) flood.push(await stream('203.0.113.2'));
    const [first] = flood as [Reader, ...Reader[]];
    expect(await readUntil(first, 'retry: 30000')).to.contain('retry: 30000');
    const { share_token: token } = await service.db('qr_codes').where({ id: ids.code }).first();
    await openShare(service.url, token as string);
    expect(await readUntil(watching, 'data:'))
      .to.contain('data:')
      .and.not.to.contain('retry: 30000');
    for (const reader of [watching, ...flood]) await reader.cancel();
  });

  it('has the scans of the time since its last visit', async () => {
    const later = await startService({ databaseUrl: service.databaseUrl, config: { trustProxyHops: 1 } });
    later.setNow(new Date(Date.now() + 7 * dayMs));
    const total = async () => Number((await service.db('scans').count('* as n').first())?.['n']);
    const before = await total();
    expect((await fetch(`${later.url}/demo`, { redirect: 'manual' })).status).to.equal(303);
    expect((await total()) - before).to.be.within(170, 185);
    expect((await fetch(`${later.url}/demo`, { redirect: 'manual' })).status).to.equal(303);
    expect((await total()) - before).to.be.within(170, 185);
    await later.stop();
  });

  it('is limited for each address', async () => {
    const flood = () =>
      fetch(`${service.url}/demo`, { redirect: 'manual', headers: { 'X-Forwarded-For': '192.0.2.7' } });
    const statuses = new Set<number>();
    for (let round = 0; round < 16 && !statuses.has(429); round += 1)
      for (const { status } of await Promise.all(Array.from({ length: 20 }, flood))) statuses.add(status);
    expect([...statuses]).to.deep.equal([303, 429]);
    expect((await fetch(`${service.url}/demo`, { redirect: 'manual', headers: from() })).status).to.equal(
      303,
    );
  });

  it('is not shown when an operator has blocked it', async () => {
    const block = { kind: 'account', value: ids.user };
    await service.db('blocks').insert({ ...block, created_at: new Date() });
    const other = await startService({ databaseUrl: service.databaseUrl });
    expect((await fetch(`${other.url}/demo`, { redirect: 'manual' })).status).to.equal(404);
    const asked = await fetch(`${other.url}/codes`, {
      redirect: 'manual',
      headers: { Cookie: `${demoCookie}=1`, Accept: 'text/html' },
    });
    expect(asked.headers.get('location')).to.match(/^\/signin\?/);
    await other.stop();
    await service.db('blocks').where(block).delete();
  });

  it('does not exist where DEMO is off', async () => {
    const off = await startService({ config: { hasDemo: false } });
    for (const path of ['/demo', '/demo/code', '/demo/scan'])
      expect((await fetch(off.url + path, { redirect: 'manual' })).status, path).to.equal(404);
    const asked = await fetch(`${off.url}/codes`, {
      redirect: 'manual',
      headers: { Cookie: `${demoCookie}=1`, Accept: 'text/html' },
    });
    expect(asked.headers.get('location')).to.match(/^\/signin\?/);
    expect(await (await fetch(off.url)).text()).not.to.contain('/demo');
    expect(await off.db('users')).to.deep.equal([]);
    await off.stop();
  });
});

describe('The designs of the demo', () => {
  const designed = demoCodes.filter(({ design }) => design);

  it('are read by phones at the width that the demo says', async function () {
    this.timeout(60_000);
    for (const { name, design = {}, foregroundColor, content } of designed) {
      const logo = newLogo('demo' as WorkspaceId, demoLogo(foregroundColor));
      const drawn = toDesign(design, logo.id);
      const errorCorrection = design.hasLogo ? 'H' : 'M';
      const code = {
        shareToken: 'AbCdEfGh12',
        content,
        foregroundColor,
        backgroundColor: '#ffffff',
        errorCorrection,
      } as const;
      const caller = { key: 'demo', signal: new AbortController().signal };
      const proof = await proveDesign(
        sharedProofs(),
        caller,
        code,
        normalizeDesign(drawn),
        'https://qr.example.com',
        {
          newLogo: design.hasLogo ? logo : undefined,
          keepsErrorCorrection: true,
        },
      );
      expect(proof.readsAtMm, name).to.be.at.most(demoReadsAtMm);
    }
  });
});
