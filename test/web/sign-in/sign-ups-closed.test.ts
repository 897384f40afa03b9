import { expect } from 'chai';
import { startService, type TestService } from '../../support/service.ts';

describe('Closed sign-ups (SIGNUPS=closed)', () => {
  let service: TestService;
  before(async () => {
    service = await startService({ config: { signUps: 'closed' } });
  });
  after(() => service.stop());

  it('show whom to contact instead of a form', async () => {
    const answer = await fetch(`${service.url}/signup`);
    expect(answer.status).to.equal(200);
    const page = await answer.text();
    expect(page).to.contain('Contact the operator of this service to get an account');
    expect(page).to.not.contain('action="/signup"');
  });

  it('create no account for a form that is sent anyway', async () => {
    const form = await fetch(`${service.url}/signin`);
    const cookie = form.headers.getSetCookie()[0]?.split(';')[0] ?? '';
    const csrfToken = /name="csrfToken" value="([^"]+)"/.exec(await form.text())?.[1] ?? '';
    expect(csrfToken).to.not.equal('');
    const answer = await fetch(`${service.url}/signup`, {
      method: 'POST',
      headers: { Cookie: cookie },
      body: new URLSearchParams({ email: 'eve@example.com', password: 'correct horse battery', csrfToken }),
      redirect: 'manual',
    });
    expect(answer.status).to.equal(403);
    expect(await answer.text()).to.contain('Sign-up is closed');
    expect(answer.headers.getSetCookie().join()).to.not.contain('session');
    expect(await service.db('users')).to.have.length(0);
  });

  it('are not linked on any page, while the sign-in is', async () => {
    for (const path of ['/', '/signin', '/signup', '/docs', '/nothing-here']) {
      const page = await (await fetch(service.url + path, { headers: { Accept: 'text/html' } })).text();
      expect(page, path).to.contain('href="/signin"');
      expect(page, path).to.not.contain('href="/signup"');
    }
  });
});
