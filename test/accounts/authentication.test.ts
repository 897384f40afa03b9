import { createHash } from 'node:crypto';
import { expect } from 'chai';
import { createApiKey, generateApiKey, revokeApiKey } from '../../src/accounts/api-keys.ts';
import { findUserByEmail } from '../../src/accounts/users.ts';
import { apiClient } from '../support/api-client.ts';
import { tablesHolding } from '../support/search-tables.ts';
import { startService, type TestService } from '../support/service.ts';
import { ownWorkspaceId } from '../../src/workspaces/workspace.ts';

const newCode = { name: 'Menu', content: 'https://example.com/' };

describe('authentication (5)', () => {
  let service: TestService;
  before(async () => {
    service = await startService();
  });
  after(() => service.stop());

  const prefixOf = (key: string) => key.split('_')[1] ?? '';
  const withHeaders = (headers: Record<string, string>, path = '/qrcodes') =>
    apiClient(service.url, undefined)(path, { headers });

  describe('a valid key', () => {
    it('is stored as its prefix and the SHA-256 of its secret (decisions: Identifiers and keys)', async () => {
      const key = await service.makeKey();
      const row = (await service
        .db('api_keys')
        .where({ prefix: prefixOf(key) })
        .first()) as {
        secret_hash: Buffer;
      };
      const sha256 = createHash('sha256')
        .update(key.split('_')[2] ?? '')
        .digest();
      expect(row.secret_hash.equals(sha256)).to.equal(true);
    });

    it('with limits is stored as another hash, which the previous release refuses', async () => {
      const keys = [
        await service.makeKey({ scopes: ['read'] }),
        await service.makeKey({ expiresAt: new Date(Date.now() + 60_000) }),
      ];
      for (const key of keys) {
        expect((await apiClient(service.url, key)('/qrcodes')).status).to.equal(200);
        const sha256 = createHash('sha256')
          .update(key.split('_')[2] ?? '')
          .digest();
        // As the statement of release 0.2 finds it.
        const found: unknown = await service
          .db('api_keys')
          .where({ prefix: prefixOf(key), secret_hash: sha256, revoked_at: null })
          .first();
        expect(found).to.equal(undefined);
      }
    });

    it('can be shown only once: its secret is in no column of any table, even after use (5.5)', async () => {
      const key = await service.makeKey({ email: 'once@example.com' });
      const api = apiClient(service.url, key);
      expect((await api('/qrcodes', { method: 'POST', body: newCode })).status).to.equal(201);
      const [, prefix = '', secret = ''] = key.split('_');
      expect(await tablesHolding(service.db, secret)).to.deep.equal([]);
      expect(await tablesHolding(service.db, secret.slice(0, 32))).to.deep.equal([]);
      // Shows that the search works, for text and for bytes.
      expect(await tablesHolding(service.db, prefix)).to.deep.equal(['public.api_keys']);
      expect(await tablesHolding(service.db, 'once@example.com')).to.deep.equal(['public.users']);
      await service.db('service_secrets').insert({ name: 'search', value: Buffer.from('needle in bytes') });
      expect(await tablesHolding(service.db, 'needle in bytes')).to.deep.equal(['public.service_secrets']);
    });

    it('is accepted with any case of the scheme and any number of spaces, as RFC 9110 says (5.1)', async () => {
      const key = await service.makeKey();
      for (const scheme of ['Bearer ', 'bearer ', 'BEARER ', 'Bearer  ']) {
        const { status } = await withHeaders({ Authorization: scheme + key });
        expect(status, JSON.stringify(scheme)).to.equal(200);
      }
    });

    it('gets 401 as soon as it is revoked (5.3)', async () => {
      const key = await service.makeKey();
      const api = apiClient(service.url, key);
      expect((await api('/qrcodes')).status).to.equal(200);
      await revokeApiKey(service.db, prefixOf(key), new Date());
      expect((await api('/qrcodes')).status).to.equal(401);
    });

    it('does not affect the other keys of its user when it is revoked (5.3)', async () => {
      const first = await service.makeKey({ email: 'two@example.com' });
      const second = await service.makeKey({ email: 'two@example.com' });
      await revokeApiKey(service.db, prefixOf(first), new Date());
      expect((await apiClient(service.url, second)('/qrcodes')).status).to.equal(200);
    });

    it('reads the codes of its owner with any key of that owner, and no others (5.7)', async () => {
      const [mine, alsoMine, theirs] = await Promise.all([
        service.makeKey({ email: 'owner@example.com' }),
        service.makeKey({ email: 'OWNER@example.com' }),
        service.makeKey({ email: 'stranger@example.com' }),
      ]);
      const { body } = await apiClient(service.url, mine)('/qrcodes', { method: 'POST', body: newCode });
      expect((await apiClient(service.url, alsoMine)(`/qrcodes/${body.id}`)).status).to.equal(200);
      expect((await apiClient(service.url, theirs)(`/qrcodes/${body.id}`)).status).to.equal(404);
    });
  });

  describe('without a valid key', () => {
    let valid: string;
    let expected: { status: number; body: object };
    beforeEach(async () => {
      await service.db('request_windows').delete();
      valid = await service.makeKey();
      expected = anonymous(await withHeaders({}));
    });

    const anonymous = ({ status, body }: { status: number; body: { requestId: string } }) => ({
      status,
      body: { ...body, requestId: '' },
    });
    const swapLast = (key: string) => key.slice(0, -1) + (key.endsWith('0') ? '1' : '0');

    const cases: Record<string, () => Record<string, string> | Promise<Record<string, string>>> = {
      'a key with another prefix than ours': () => ({
        Authorization: `Bearer ${valid.replace('qrl_', 'abc_')}`,
      }),
      'a key with a wrong checksum': () => ({ Authorization: `Bearer ${swapLast(valid)}` }),
      'a key in the wrong case': () => ({ Authorization: `Bearer ${valid.toLowerCase()}` }),
      'a key that was never given out': () => ({ Authorization: `Bearer ${generateApiKey().key}` }),
      'a known prefix with the secret of another key': async () => {
        const other = await service.makeKey();
        return { Authorization: `Bearer qrl_${prefixOf(valid)}_${other.split('_')[2]}` };
      },
      'a revoked key': async () => {
        await revokeApiKey(service.db, prefixOf(valid), new Date());
        return { Authorization: `Bearer ${valid}` };
      },
      'an expired key': async () => {
        const key = await service.makeKey({ expiresAt: new Date(Date.now() + 60_000) });
        const headers = { Authorization: `Bearer ${key}` };
        expect((await withHeaders(headers)).status).to.equal(200);
        await service
          .db('api_keys')
          .where({ prefix: prefixOf(key) })
          .update({ expires_at: service.db.raw('now()') });
        return headers;
      },
      'the prefix alone': () => ({ Authorization: `Bearer qrl_${prefixOf(valid)}` }),
      'a key of 10,000 characters': () => ({ Authorization: `Bearer ${valid.padEnd(10_000, 'A')}` }),
      'the key twice': () => ({ Authorization: `Bearer ${valid} ${valid}` }),
      'the key without a scheme': () => ({ Authorization: valid }),
      'the scheme without a key': () => ({ Authorization: 'Bearer' }),
      'the scheme run into the key': () => ({ Authorization: `Bearer${valid}` }),
      'the key in quotes': () => ({ Authorization: `Bearer "${valid}"` }),
      'another scheme': () => ({ Authorization: `Token ${valid}` }),
      'Basic authentication with the key as password': () => ({
        Authorization: `Basic ${Buffer.from(`user:${valid}`).toString('base64')}`,
      }),
      'the key in X-Api-Key': () => ({ 'X-Api-Key': valid }),
      'the key in Proxy-Authorization': () => ({ 'Proxy-Authorization': `Bearer ${valid}` }),
      'the key in a cookie': () => ({ Cookie: `Authorization=Bearer ${valid}; api_key=${valid}` }),
    };

    for (const [title, headers] of Object.entries(cases)) {
      it(`responds to ${title} with the same 401 as a missing key (5.3)`, async () => {
        const answer = await withHeaders(await headers());
        expect(answer.headers.get('www-authenticate')).to.equal('Bearer');
        expect(anonymous(answer)).to.deep.equal(expected);
        expect(answer.body).to.include({ error: 'invalid_api_key' });
        expect(answer.body.requestId).to.equal(answer.headers.get('x-request-id'));
      });
    }

    it('responds to a key in the query string with the same 401 as a missing key (5.3)', async () => {
      for (const name of ['api_key', 'key', 'access_token', 'Authorization']) {
        const answer = await withHeaders({}, `/qrcodes?${name}=${valid}`);
        expect(anonymous(answer)).to.deep.equal(expected);
      }
    });

    it('rejects a key with a wrong checksum without a lookup, even if it is in the table (decisions: Identifiers and keys)', async () => {
      const key = swapLast(valid);
      const secretHash = createHash('sha256')
        .update(key.split('_')[2] ?? '')
        .digest();
      await service
        .db('api_keys')
        .where({ prefix: prefixOf(key) })
        .update({ secret_hash: secretHash });
      expect(anonymous(await withHeaders({ Authorization: `Bearer ${key}` }))).to.deep.equal(expected);
    });

    it('responds with 401 before it checks path, method or body (5.1)', async () => {
      const nobody = apiClient(service.url, undefined);
      for (const [method, path] of [
        ['GET', '/nothing-here'],
        ['PUT', '/qrcodes'],
        ['POST', '/qrcodes'],
        ['GET', '/qrcodes/00000000-0000-7000-8000-000000000000/scans?limit=0'],
      ] as const) {
        expect((await nobody(path, { method })).status, `${method} ${path}`).to.equal(401);
      }
    });

    it('serves nothing of the API, however its path is spelled (5.1)', async () => {
      for (const path of ['/API/v1/qrcodes', '/Api/V1/QrCodes', '/api/V1/qrcodes', '/api/v1/qrcodes/']) {
        const response = await fetch(service.url + path);
        expect(response.status, path).to.be.oneOf([401, 404]);
      }
    });
  });

  it('stores the name and the owner of a key, for lists (5.4)', async () => {
    await service.makeKey({ email: 'lists@example.com' });
    const user = await findUserByEmail(service.db, 'Lists@Example.com');
    const key = await createApiKey(service.db, ownWorkspaceId(user), 'Till 3', new Date());
    const row: unknown = await service
      .db('api_keys')
      .where({ prefix: prefixOf(key) })
      .first('name', 'user_id');
    expect(row).to.deep.equal({ name: 'Till 3', user_id: user.id });
  });
});
