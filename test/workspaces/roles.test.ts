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

describe(`Members of a workspace (${memberRoutes.length} routes)`, () => {
  let service: TestService;
  before(async () => {
    service = await startService();
  });
  after(() => service.stop());

  /** Without a CSRF token: whoever passes the guard changes nothing. */
  async function isRefused(cookie: string, method: string, path: string): Promise<boolean> {
    const address = path.replaceAll(/:\w+/g, '01936f3e-7c1a-7d44-8f0b-2a5c7f0e9b11');
    const headers = { Cookie: cookie, Accept: 'text/html' };
    const stop = new AbortController();
    const answer = await fetch(service.url + address, {
      method,
      headers,
      redirect: 'manual',
      signal: stop.signal,
    });
    const isForbidden = answer.status === 403 && (await answer.text()).includes(refusal);
    stop.abort();
    return isForbidden;
  }

  for (const role of roles)
    it(`who are ${role}s may use exactly the routes for that role and those below`, async () => {
      const email = `${role}@example.com`;
      const { cookies } = await signedIn(service, email);
      const { id } = await findUserByEmail(service.db, email);
      await service.db('workspace_members').where({ user_id: id }).update({ role });
      const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
      const refused: string[] = [];
      for (const { method, path } of memberRoutes)
        if (await isRefused(cookie, method, path)) refused.push(`${method} ${path}`);
      const expected = (has: Role) =>
        memberRoutes
          .filter(({ needed }) => !hasRole(has, needed))
          .map(({ method, path }) => `${method} ${path}`);
      expect(refused).to.deep.equal(expected(role));
      expect(refused.length > 0).to.equal(role !== 'owner');
    });
});
