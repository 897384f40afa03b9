import { expect } from 'chai';
import { findUserByEmail } from '../../src/accounts/users.ts';
import { hasRole, type Role, roles } from '../../src/workspaces/members.ts';
import { allRoutes } from '../hostile/routes.ts';
import { startService, type TestService } from '../support/service.ts';
import { signedIn } from '../support/form-client.ts';

const refusal = 'of this workspace can do this';
const neededBy = (access: string) => roles.find((role) => access.replace(/ or demo$/, '') === role);
const memberRoutes = allRoutes.flatMap(({ method, path, access }) => {
  const needed = neededBy(access);
  return needed && method !== 'HEAD' ? [{ method, path, needed }] : [];
});

const people = [...roles, 'removed', 'stranger', 'signed out'] as const;
type Answer = 'let in' | 'refused' | 'not found' | 'asked to sign in';

/** What the table of rights says. */
function expectedAnswer(who: (typeof people)[number], needed: Role): Answer {
  if (who === 'signed out') return 'asked to sign in';
  if (who === 'removed' || who === 'stranger') return 'not found';
  return hasRole(who, needed) ? 'let in' : 'refused';
}

describe(`The pages of a workspace (${memberRoutes.length} routes)`, () => {
  let service: TestService;
  let team: string;
  before(async () => {
    service = await startService();
    await signedIn(service, 'team@example.com');
    team = (await findUserByEmail(service.db, 'team@example.com')).id;
  });
  after(() => service.stop());

  async function cookieOf(who: (typeof people)[number]): Promise<string> {
    if (who === 'signed out') return '';
    const email = `${who}@example.com`;
    const { cookies } = await signedIn(service, email);
    const { id } = await findUserByEmail(service.db, email);
    if (who !== 'stranger') {
      const role = who === 'removed' ? 'owner' : who;
      await service
        .db('workspace_members')
        .insert({ workspace_id: team, user_id: id, role, joined_at: new Date() });
    }
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    if (who === 'removed') {
      expect(await answerTo(cookie, 'GET', '/keys')).to.equal('let in');
      await service.db('workspace_members').where({ user_id: id, workspace_id: team }).delete();
    }
    return cookie;
  }

  /** Without a CSRF token: whoever passes the guard changes nothing. */
  async function answerTo(cookie: string, method: string, path: string): Promise<Answer> {
    const address = path.replaceAll(/:\w+/g, '01936f3e-7c1a-7d44-8f0b-2a5c7f0e9b11');
    const headers = { Cookie: cookie, Accept: 'text/html' };
    const stop = new AbortController();
    const answer = await fetch(`${service.url}/w/team${address}`, {
      method,
      headers,
      redirect: 'manual',
      signal: stop.signal,
    });
    const isRead = answer.status >= 400;
    const html = isRead ? await answer.text() : '';
    stop.abort();
    if (answer.status === 303 && answer.headers.get('Location')?.startsWith('/signin?'))
      return 'asked to sign in';
    if (answer.status === 404 && html.includes('There is nothing at this address.')) return 'not found';
    if (answer.status === 403 && html.includes(refusal)) return 'refused';
    return 'let in';
  }

  for (const who of people)
    it(`are for somebody who is ${who} what the table of rights says`, async () => {
      const cookie = await cookieOf(who);
      const answers: string[] = [];
      for (const { method, path } of memberRoutes)
        answers.push(`${method} ${path}: ${await answerTo(cookie, method, path)}`);
      expect(answers).to.deep.equal(
        memberRoutes.map(({ method, path, needed }) => `${method} ${path}: ${expectedAnswer(who, needed)}`),
      );
    });
});
