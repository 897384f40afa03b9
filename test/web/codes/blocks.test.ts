import { expect } from 'chai';
import { startSession } from '../../../src/accounts/sessions.ts';
import { findUserByEmail } from '../../../src/accounts/users.ts';
import { addBlock } from '../../../src/codes/blocks.ts';
import { type ApiClient, apiClient } from '../../support/api-client.ts';
import { startService, type TestService } from '../../support/service.ts';
import { createCode } from '../../support/share.ts';

const email = 'owner@example.com';

describe('A blocked code, on the pages of its owner', () => {
  let service: TestService;
  let api: ApiClient;
  let cookie: string;

  before(async () => {
    service = await startService({ config: { abuseContact: 'abuse@example.com' } });
    api = apiClient(service.url, await service.makeKey({ email }));
    const { id } = await findUserByEmail(service.db, email);
    const session = await startSession(service.db, id, new Date());
    cookie = `__Host-qrelay-session=${session}; __Host-qrelay-visitor=somebody`;
  });
  after(() => service.stop());

  const block = (kind: 'code' | 'host', value: string) =>
    addBlock(service.db, { kind, value, reason: 'not for the owner', createdAt: new Date() });
  const pageOf = async (path: string) =>
    (await fetch(service.url + path, { headers: { Cookie: cookie } })).text();
  async function post(formPath: string, path: string, fields: Record<string, string>) {
    const csrfToken = /name="csrfToken" value="([^"]+)"/.exec(await pageOf(formPath))?.[1] ?? '';
    return fetch(service.url + path, {
      method: 'POST',
      headers: { Cookie: cookie },
      body: new URLSearchParams({ ...fields, csrfToken }),
      redirect: 'manual',
    });
  }

  it('has a badge in the list, like a code with a blocked host, and no other code has', async () => {
    const codes = await Promise.all([
      createCode(api, { name: 'By itself' }),
      createCode(api, { name: 'By its host', content: 'https://www.evil.example/' }),
      createCode(api, { name: 'Sound' }),
    ]);
    await block('code', codes[0]?.id ?? '');
    await block('host', 'evil.example');
    const rows = (await pageOf('/codes')).split('<tr>').slice(2);
    const named = (name: string) => rows.find((row) => row.includes(`<bdi>${name}</bdi>`));
    expect(named('By itself')).to.contain('>Blocked<');
    expect(named('By its host')).to.contain('>Blocked<');
    expect(named('Sound')).to.be.a('string').and.not.contain('>Blocked<');
  });

  it('shows on its page that it is blocked and whom to contact, but not the reason', async () => {
    const { id, shareToken } = await createCode(api);
    expect(await pageOf(`/codes/${id}`))
      .to.contain('>Public<')
      .and.contain('live-mark')
      .and.not.contain('>Blocked<')
      .and.not.contain('blocked for abuse');
    await block('code', id);
    const page = await pageOf(`/codes/${id}`);
    expect(page).to.contain('>Blocked<').and.not.contain('>Public<').and.not.contain('live-mark');
    expect(page).to.contain('This code was blocked for abuse');
    expect(page).to.contain(
      `<a href="mailto:abuse@example.com?subject=https%3A%2F%2Fqr.test%2Fr%2F${shareToken}">abuse@example.com</a>`,
    );
    expect(page).to.not.contain('not for the owner');
  });

  it('cannot be duplicated', async () => {
    const { id } = await createCode(api, { name: 'Only once' });
    await block('code', id);
    const answer = await post(`/codes/${id}`, `/codes/${id}/duplicate`, {});
    expect(answer.status).to.equal(400);
    expect(await answer.text()).to.contain('and cannot be duplicated');
    expect(await service.db('qr_codes').whereLike('name', 'Only once%')).to.have.length(1);
  });

  it('cannot be created or edited with a blocked host: the field shows why', async () => {
    await block('host', 'bad.example');
    const { id } = await createCode(api, { name: 'Edited' });
    const look = {
      foregroundColor: '#000000',
      backgroundColor: '#ffffff',
      size: '512',
      errorCorrection: 'M',
    };
    const fields = {
      ...look,
      name: 'From a form',
      type: 'url',
      url: 'https://bad.example/',
      content: 'https://bad.example/',
    };
    for (const path of ['/codes/new', `/codes/${id}/edit`]) {
      const answer = await post(path, path, fields);
      expect(answer.status, path).to.equal(400);
      expect(await answer.text()).to.contain('ust not link to a blocked host: bad.example');
    }
    expect(await service.db('qr_codes').whereLike('content', '%bad.example%')).to.have.length(0);
  });
});
