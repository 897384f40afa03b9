import { expect } from 'chai';
import { type ApiClient, apiClient } from '../../support/api-client.ts';
import { expectError, expectInvalid } from '../../support/expect-error.ts';
import type { TestService } from '../../support/service.ts';
import { sharedService } from '../../support/shared-service.ts';

interface Entry {
  id: string;
  version: number;
  at: string;
  action: string;
  kind: string;
  requestId: string | null;
  actor: { kind: string; id: string | null; name: string | null };
  subject: { id: string; name: string | null };
  before: Record<string, unknown> | null;
  after: Record<string, unknown> | null;
}

let owners = 0;

describe('The history of the API', () => {
  let service: TestService;
  let email: string;
  let key: string;
  let api: ApiClient;
  before(async () => {
    service = await sharedService();
  });
  beforeEach(async () => {
    email = `history-${(owners += 1)}@example.com`;
    key = await service.makeKey({ email });
    api = apiClient(service.url, key);
  });

  const create = async (fields: object = {}) =>
    (await api('/qrcodes', { method: 'POST', body: { name: 'Menu', content: at(1), ...fields } })).body;
  const at = (number: number) => `https://example.com/${number}`;
  const patch = (id: string, body: object) => api(`/qrcodes/${id}`, { method: 'PATCH', body });
  const read = (id: string) => api(`/qrcodes/${id}`);
  const restore = (
    id: string,
    version: number | string,
    body?: object,
    headers: Record<string, string> = {},
  ) => api(`/qrcodes/${id}/versions/${version}/restore`, { method: 'POST', headers, ...(body && { body }) });
  const versions = async (id: string, query = '') =>
    (await api(`/qrcodes/${id}/versions${query}`)).body as { data: Entry[]; nextCursor: number | null };
  const audit = async (query = '') =>
    (await api(`/audit${query}`)).body as { data: Entry[]; nextCursor: string | null };
  const csv = async (query = '') => {
    const headers = { Authorization: `Bearer ${key}` };
    const response = await fetch(`${service.url}/api/v1/audit.csv${query}`, { headers });
    return { response, text: await response.text() };
  };

  describe('of a code', () => {
    it('is read page by page, newest first, with what each request changed', async () => {
      const { id } = await create();
      const changed = await patch(id, { name: 'Winter', content: at(2) });
      for (const category of ['Bar', 'Hall', null]) await patch(id, { category });
      const first = await versions(id, '?limit=2');
      expect(first.data.map(({ version }) => version)).to.deep.equal([5, 4]);
      expect(first.nextCursor).to.equal(4);
      const second = await versions(id, `?limit=2&cursor=${first.nextCursor}`);
      expect(second.data.map(({ version }) => version)).to.deep.equal([3, 2]);
      const last = await versions(id, `?limit=2&cursor=${second.nextCursor}`);
      expect(last).to.deep.include({ nextCursor: null });
      expect(last.data.map(({ version, action, before }) => [version, action, before])).to.deep.equal([
        [1, 'created', null],
      ]);
      expect((await versions(id, '?limit=5')).nextCursor).to.equal(null);
      const { before, after, requestId, actor } = second.data[1] as Entry;
      expect(before).to.deep.equal({ name: 'Menu', content: at(1) });
      expect(after).to.deep.equal({ name: 'Winter', content: at(2) });
      expect(requestId).to.equal(changed.headers.get('X-Request-Id'));
      expect(actor.kind).to.equal('key');
    });

    it('refuses a query with an error for each wrong parameter', async () => {
      const { id } = await create();
      const wrong = '?limit=101&cursor=01936f3e-7c1a-7d44-8f0b-2a5c7f0e9b11&before=3';
      expectInvalid(await api(`/qrcodes/${id}/versions${wrong}`), ['limit', 'cursor', 'before']);
    });

    it('restores a version as a new one, and says if there is nothing to restore', async () => {
      const { id } = await create();
      await patch(id, { name: 'Winter', content: at(2) });
      const restored = await restore(id, 1);
      expect(restored.status).to.equal(200);
      expect(restored.body).to.include({ name: 'Menu', content: at(1) });
      expect(restored.headers.get('Qrelay-Warning')).to.equal(null);
      expect(restored.body).to.deep.equal((await read(id)).body);
      const { data } = await versions(id);
      expect(data[0]).to.deep.include({ version: 3, before: { name: 'Winter', content: at(2) } });
      const again = await restore(id, 1, { overwrite: true });
      expect(again.status).to.equal(200);
      expect(again.headers.get('Qrelay-Warning')).to.contain('nothing was changed');
      expect((await versions(id)).data).to.have.length(3);
    });

    it('answers 409 with both values of each field that was changed again, and changes nothing', async () => {
      const { id } = await create();
      await patch(id, { name: 'Winter', content: at(2) });
      await patch(id, { content: at(3), category: 'Bar' });
      const before = (await read(id)).body;
      const conflict = await restore(id, 1);
      expectError(conflict, 409, 'validation_error');
      expect(conflict.body.code).to.equal('restore_conflict');
      expect(conflict.body.details).to.deep.equal([
        { field: 'content', message: `is "${at(3)}" since version 3, and would become "${at(1)}"` },
        { field: 'category', message: 'is "Bar" since version 3, and would become null' },
      ]);
      expect((await read(id)).body).to.deep.equal(before);
      expect((await versions(id)).data).to.have.length(3);
      const named = await restore(id, 1, { fields: ['name'] });
      expect(named.body).to.include({ name: 'Menu', content: at(3), category: 'Bar' });
      const all = await restore(id, 1, { overwrite: true });
      expect(all.body).to.include({ name: 'Menu', content: at(1), category: null });
    });

    it('refuses a stale If-Match with 412, and has the new ETag after a restore', async () => {
      const { id } = await create();
      const stale = (await read(id)).headers.get('ETag') ?? '';
      const current = (await patch(id, { name: 'Winter' })).headers.get('ETag') ?? '';
      const refused = await restore(id, 1, undefined, { 'If-Match': stale });
      expectError(refused, 412, 'validation_error');
      expect(refused.body.code).to.equal('version_conflict');
      expect((await read(id)).body.name).to.equal('Winter');
      const restored = await restore(id, 1, undefined, { 'If-Match': current });
      expect([restored.status, restored.body.name]).to.deep.equal([200, 'Menu']);
      expect(restored.headers.get('ETag')).to.equal((await read(id)).headers.get('ETag'));
    });

    it('restores once for one Idempotency-Key', async () => {
      const { id } = await create();
      await patch(id, { name: 'Winter' });
      const headers = { 'Idempotency-Key': `restore-${id}` };
      const first = await restore(id, 1, undefined, headers);
      await patch(id, { name: 'Summer' });
      const second = await restore(id, 1, undefined, headers);
      expect(second.headers.get('Idempotency-Replayed')).to.equal('true');
      expect(second.body).to.deep.equal(first.body);
      expect((await read(id)).body.name).to.equal('Summer');
    });

    it('refuses a body with an error for each wrong field', async () => {
      const { id } = await create();
      const body = { fields: ['name', 'shareToken'], overwrite: 'yes', version: 1 };
      expectInvalid(await restore(id, 1, body), ['fields.1', 'overwrite', 'version']);
      expectInvalid(await restore(id, 1, { fields: [] }), ['fields']);
    });

    it('restores version 0 only of a code that is older than its history', async () => {
      const { id } = await create();
      await patch(id, { name: 'Winter' });
      expectError(await restore(id, 0), 404, 'not_found');
      await service.db('changes').where({ code_id: id, version: 1 }).delete();
      const [oldest] = (await versions(id)).data;
      expect(oldest).to.include({ version: 2, action: 'changed' });
      expectError(await restore(id, 0), 404, 'not_found');
      expect((await restore(id, 1)).body.name).to.equal('Menu');
      await service.db('changes').where({ code_id: id, version: 2 }).update({ version: 1 });
      await patch(id, { name: 'Summer' });
      expect((await restore(id, 0, { overwrite: true })).body.name).to.equal('Menu');
    });

    for (const version of ['-1', '+1', '1.5', '1e0', 'x', '%00', '2', '999999999', '9999999999', '١'])
      it(`has no version ${version}`, async () => {
        const { id } = await create();
        expectError(await restore(id, version), 404, 'not_found');
      });

    it('is not there for another workspace, and not while the code is in the trash', async () => {
      const { id } = await create();
      await patch(id, { name: 'Winter' });
      const other = apiClient(service.url, await service.makeKey());
      expectError(await other(`/qrcodes/${id}/versions`), 404, 'not_found');
      const theirs = await other(`/qrcodes/${id}/versions/1/restore`, { method: 'POST' });
      expectError(theirs, 404, 'not_found');
      await api(`/qrcodes/${id}`, { method: 'DELETE' });
      expectError(await api(`/qrcodes/${id}/versions`), 404, 'not_found');
      expectError(await restore(id, 1), 404, 'not_found');
      await api(`/qrcodes/${id}/restore`, { method: 'POST' });
      expect((await read(id)).body.name).to.equal('Winter');
      const actions = (await versions(id)).data.map(({ action }) => action);
      expect(actions).to.deep.equal(['restored', 'trashed', 'changed', 'created']);
    });

    it('needs read to be read and codes to be restored, and does not name the people', async () => {
      const { id } = await create();
      const reader = apiClient(service.url, await service.makeKey({ email, scopes: ['read'] }));
      const { status, body } = await reader(`/qrcodes/${id}/versions`);
      expect(status).to.equal(200);
      expect(body.data[0].actor).to.have.all.keys('kind', 'id');
      const refused = await reader(`/qrcodes/${id}/versions/1/restore`, { method: 'POST' });
      expectError(refused, 403, 'invalid_api_key');
      const auditor = apiClient(service.url, await service.makeKey({ email, scopes: ['audit'] }));
      expectError(await auditor(`/qrcodes/${id}/versions`), 403, 'invalid_api_key');
    });
  });

  describe('of a workspace', () => {
    it('is read page by page, newest first, each entry once', async () => {
      const ids: string[] = [];
      for (let number = 1; number <= 5; number += 1) ids.unshift((await create()).id);
      const seen: string[] = [];
      let cursor: string | null = null;
      do {
        const page = await audit(`?kind=code&limit=2${cursor ? `&cursor=${cursor}` : ''}`);
        expect(page.data.length).to.be.within(1, 2);
        seen.push(...page.data.map(({ subject }) => subject.id));
        cursor = page.nextCursor;
      } while (cursor);
      expect(seen).to.deep.equal(ids);
    });

    it('is filtered by who made the change, what was changed, and when', async () => {
      const { id } = await create();
      const otherKey = apiClient(service.url, await service.makeKey({ email }));
      const { body: style } = await otherKey('/styles', { method: 'POST', body: { name: 'Spring' } });
      await patch(id, { name: 'Winter' });
      const { data: all } = await audit();
      const [renamed, , , created] = all as [Entry, Entry, Entry, Entry];
      const styleEntry = all.find(({ kind }) => kind === 'style') as Entry;
      expect(renamed).to.deep.include({ kind: 'code', version: 2, subject: { id, name: 'Winter' } });
      expect(styleEntry.subject).to.deep.equal({ id: style.id, name: 'Spring' });
      expect(styleEntry.actor.id).to.not.equal(renamed.actor.id);
      const found = async (query: string) => (await audit(query)).data;
      expect(await found(`?actorId=${styleEntry.actor.id}`)).to.deep.equal([styleEntry]);
      expect(await found('?kind=style')).to.deep.equal([styleEntry]);
      expect(await found(`?kind=style&actorId=${renamed.actor.id}`)).to.deep.equal([]);
      const split = all.filter((entry) => entry.at >= styleEntry.at);
      expect(await found(`?from=${styleEntry.at}`)).to.deep.equal(split);
      expect(await found(`?to=${styleEntry.at}`)).to.deep.equal(all.slice(split.length));
      expect(await found(`?from=${created.at}&to=${styleEntry.at}&kind=webhook`)).to.deep.equal([]);
    });

    it('has each entry in the period that begins at its time', async () => {
      for (let number = 1; number <= 20; number += 1) await create();
      for (const entry of (await audit('?kind=code')).data) {
        const end = new Date(Date.parse(entry.at) + 1).toISOString();
        const found = (await audit(`?kind=code&from=${entry.at}&to=${end}`)).data;
        expect(found.map(({ id }) => id)).to.include(entry.id);
        expect(found.filter((other) => other.at !== entry.at)).to.deep.equal([]);
      }
    });

    for (const path of ['/audit', '/audit.csv'])
      it(`refuses a query of ${path} with an error for each wrong parameter`, async () => {
        const wrong = 'actorId=me&kind=codes&from=yesterday&to=2026-13-01&codeId=1';
        expectInvalid(await api(`${path}?${wrong}`), ['actorId', 'kind', 'from', 'to', 'codeId']);
        const turned = 'from=2026-01-02T00:00:00Z&to=2026-01-01T00:00:00Z';
        expectInvalid(await api(`${path}?kind=x&${turned}`), ['kind', 'to']);
      });

    it('has no entries of another workspace', async () => {
      const { id } = await create({ name: 'Ours' });
      const theirKey = await service.makeKey();
      const theirs = apiClient(service.url, theirKey);
      const { data } = (await theirs('/audit')).body as { data: Entry[] };
      expect(data.map(({ subject }) => subject.id)).to.not.include(id);
      const [{ actor }] = (await audit('?kind=code')).data as [Entry];
      expect((await theirs(`/audit?actorId=${actor.id}`)).body.data).to.deep.equal([]);
      const headers = { Authorization: `Bearer ${theirKey}` };
      const answer = await fetch(`${service.url}/api/v1/audit.csv`, { headers });
      expect(await answer.text())
        .to.match(/^at,actorKind,/)
        .and.to.not.contain('Ours');
    });

    it('hides the passwords of networks, also as CSV', async () => {
      const contents = [
        'WIFI:T:WPA;S:Guests;P:hunter2-secret;;',
        'wifi:P:hunter2\\;secret;S:Guests;T:WPA;;',
        'WIFI:T:WPA;S:Guests; p :hunter2;secret;;',
        ' WIFI:S:Guests;T:WPA;P:"hunter2:secret";;',
      ];
      const { id } = await create({ type: 'wifi', content: contents[0] });
      for (const content of contents.slice(1)) expect((await patch(id, { content })).status).to.equal(200);
      const json = (await audit('?kind=code')).data;
      expect(json).to.have.length(contents.length);
      for (const { after } of json) expect(after?.['content']).to.match(/^\s*WIFI:.*S:Guests/i);
      const { text } = await csv('?kind=code');
      for (const shown of [JSON.stringify(json), text])
        expect(shown)
          .to.contain('Guests')
          .and.to.not.match(/hunter2|secret/);
      expect((await versions(id)).data[3]?.after?.['content']).to.equal(contents[0]);
    });

    it('is a CSV that no spreadsheet runs, with the filters of the list', async () => {
      await create({ name: '=HYPERLINK("https://example.com","x")' });
      await create({ name: '@SUM(1), "2"' });
      await api('/styles', { method: 'POST', body: { name: 'Spring' } });
      const { response, text } = await csv('?kind=code');
      expect(response.headers.get('Content-Type')).to.equal('text/csv; charset=utf-8');
      expect(response.headers.get('Content-Type')).to.match(/^text\/csv/);
      expect(response.headers.get('Content-Disposition')).to.equal('attachment; filename="changes.csv"');
      const [header, second, first, ...rest] = text.split('\r\n');
      expect(header).to.equal(
        'at,actorKind,actorId,actorName,action,kind,subjectId,subjectName,version,requestId,before,after',
      );
      expect(rest).to.deep.equal(['']);
      expect(first).to.contain(`,"'=HYPERLINK(""https://example.com"",""x"")",1,`);
      expect(second).to.contain(`,"'@SUM(1), ""2""",1,`);
    });

    it('keeps that a code was deleted for good, and nothing of its contents', async () => {
      const { id } = await create({ name: 'Old flyer' });
      await patch(id, { name: 'Older flyer' });
      await api(`/qrcodes/${id}?permanently=true`, { method: 'DELETE' });
      const { data } = await audit('?kind=code');
      expect(data.map(({ action }) => action)).to.deep.equal(['deleted', 'changed', 'created']);
      for (const { subject, before, after } of data)
        expect([subject, before, after]).to.deep.equal([{ id, name: null }, null, null]);
    });

    it('shows no query or fragment of the address of a webhook', async () => {
      const events = ['code.created'];
      for (const url of ['https://hooks.example.com?token=secret-3', 'HTTPS://HOOKS.EXAMPLE.COM#secret-4'])
        expect(
          (await api('/webhooks', { method: 'POST', body: { name: 'Odd', url, events } })).status,
        ).to.equal(201);
      const { data } = await audit('?kind=webhook&limit=2');
      for (const { after } of data) expect(after?.['url']).to.match(/^https:\/\/hooks\.example\.com\/…$/i);
    });

    it('shows of the address of a webhook its host, and that the path has changed', async () => {
      const events = ['code.created'];
      const body = { name: 'Stock', url: 'https://hooks.example.com/secret-1', events };
      const { body: made } = await api('/webhooks', { method: 'POST', body });
      for (const url of ['https://hooks.example.com/secret-2', 'https://other.example.com/secret-2'])
        expect(
          (await api(`/webhooks/${made['id'] as string}`, { method: 'PATCH', body: { url } })).status,
        ).to.equal(200);
      const { data } = await audit('?kind=webhook');
      const host = 'https://hooks.example.com/…';
      expect(data.map(({ before, after }) => [before?.['url'], after?.['url']])).to.deep.equal([
        [host, 'https://other.example.com/…'],
        [host, `${host} (another path)`],
        [undefined, host],
      ]);
    });

    it('needs the scope audit, which allows nothing else', async () => {
      const withoutAudit = await service.makeKey({
        email,
        scopes: ['read', 'codes', 'analytics', 'webhooks'],
      });
      const others = apiClient(service.url, withoutAudit);
      for (const path of ['/audit', '/audit.csv']) expectError(await others(path), 403, 'invalid_api_key');
      const auditor = apiClient(service.url, await service.makeKey({ email, scopes: ['audit'] }));
      expect((await auditor('/audit')).status).to.equal(200);
      expectError(await auditor('/qrcodes'), 403, 'invalid_api_key');
    });
  });
});
