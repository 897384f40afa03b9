import { expect } from 'chai';
import { type FormClient, formClient } from '../../support/form-client.ts';
import { startService, type TestService } from '../../support/service.ts';

const password = 'correct horse battery';
const goodbye = 'Your account was deleted, with all its keys, codes and scans.';
const handedCookie = '__Host-qrelay-handed';

describe('What is said once, after a form', () => {
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

  it('is that the account and everything in it are gone, on the front page, one time', async () => {
    const email = 'leaver@example.com';
    const client = await signUp(email);
    await client.get('/account');
    const answer = await client.post('/account/delete', { confirmation: email, deletePassword: password });
    expect([answer.status, answer.headers.get('location')]).to.deep.equal([303, '/']);
    expect(await read(client, '/')).to.contain(`role="status">${goodbye}</div>`);
    expect(await read(client, '/')).not.to.contain(goodbye);
  });

  it('is never said by an address alone, nor in words that somebody else has chosen', async () => {
    const client = await signUp('stayer@example.com');
    for (const query of ['deleted', 'done=deleted', 'done=account-deleted', 'account-deleted'])
      expect(await read(client, `/?${query}`), query).not.to.contain('role="status">');
    client.cookies.set(handedCookie, Buffer.from('/ Call 0900 1234').toString('base64url'));
    expect(await read(client, '/')).not.to.contain('0900');
  });

  it('is a new key, which is not lost when another page is opened first', async () => {
    const client = await signUp('maker@example.com');
    await client.get('/keys');
    const answer = await client.post('/keys', { name: 'Till' });
    expect(answer.headers.get('location')).to.equal('/keys/created');
    expect(await read(client, '/')).not.to.match(/qrl_\w{8}_\w{38}/);
    expect(await read(client, '/keys/created')).to.match(/value="qrl_\w{8}_\w{38}"/);
    expect((await client.get('/keys/created')).headers.get('location')).to.equal('/keys');
  });
});
