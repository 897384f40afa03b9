import { expect } from 'chai';
import { type FormClient, formClient } from '../../support/form-client.ts';
import { startService, type TestService } from '../../support/service.ts';

const password = 'correct horse battery';
const goodbye = 'Your account was deleted, with all its keys, codes and scans.';
const flashCookie = '__Host-qrelay-flash';

describe('Flash messages', () => {
  let service: TestService;
  before(async () => {
    service = await startService();
  });
  after(() => service.stop());

  async function signUp(email: string): Promise<FormClient> {
    const client = formClient(service.url);
    await client.get('/signup');
    expect((await client.post('/signup', { email, password })).status).to.equal(303);
    return client;
  }
  const read = async (client: FormClient, path: string) => (await client.get(path)).text();

  it('confirm once, on the front page, that an account was deleted', async () => {
    const email = 'leaver@example.com';
    const client = await signUp(email);
    await client.get('/account');
    const answer = await client.post('/account/delete', { confirmation: email, deletePassword: password });
    expect([answer.status, answer.headers.get('location')]).to.deep.equal([303, '/']);
    expect(await read(client, '/')).to.contain(`role="status">${goodbye}</div>`);
    expect(await read(client, '/')).not.to.contain(goodbye);
  });

  it('cannot be set by a URL or with a chosen text', async () => {
    const client = await signUp('stayer@example.com');
    for (const address of [
      '/?deleted',
      '/?done=accountDeleted',
      '/codes?done=deleted',
      '/account?changed=password',
    ])
      expect(await read(client, address), address).not.to.contain('role="status">');
    for (const path of ['/', '/codes', '/account', '/keys']) {
      client.cookies.set(flashCookie, Buffer.from(`${path} Call 0900 1234`).toString('base64url'));
      expect(await read(client, path), path).not.to.contain('0900');
    }
  });

  it('confirm an action on a code on the next page', async () => {
    const client = await signUp('doer@example.com');
    await client.get('/codes/new');
    const form = { type: 'text', name: 'Note', content: 'Hello', size: '512', errorCorrection: 'M' };
    const look = { foregroundColor: '#000000', backgroundColor: '#ffffff' };
    const page = (await client.post('/codes/new', { ...form, ...look })).headers.get('location') ?? '';
    expect(await read(client, page)).to.contain('role="status">Code created. ');
    expect(await read(client, page)).not.to.contain('Code created.');
    const back = `${page}?days=7`;
    const made = await client.post(`${page}/visibility`, { isPublic: 'false', back });
    expect(made.headers.get('location')).to.equal(back);
    expect(await read(client, back)).to.contain('The code is private now');
    expect(await read(client, back)).to.contain('This code is private');
  });

  it('do not lose a new key when another page is opened first', async () => {
    const client = await signUp('maker@example.com');
    await client.get('/keys');
    const answer = await client.post('/keys', { name: 'Till' });
    expect(answer.headers.get('location')).to.equal('/keys/created');
    expect(await read(client, '/')).not.to.match(/qrl_\w{8}_\w{38}/);
    expect(await read(client, '/keys/created')).to.match(/value="qrl_\w{8}_\w{38}"/);
    expect((await client.get('/keys/created')).headers.get('location')).to.equal('/keys');
  });
});
