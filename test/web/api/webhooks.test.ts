import { expect } from 'chai';
import { type ApiClient, apiClient } from '../../support/api-client.ts';
import { signedIn } from '../../support/form-client.ts';
import { startService, type TestService } from '../../support/service.ts';

describe('/api/v1/webhooks', () => {
  let service: TestService;
  let api: ApiClient;

  before(async () => {
    service = await startService();
  });
  beforeEach(async () => {
    api = apiClient(service.url, await service.makeKey());
  });
  after(() => service.stop());

  const valid = { url: 'https://example.com/hook', name: 'CRM', events: ['scan.recorded'] };
  const create = (fields: object = {}, client = api) =>
    client('/webhooks', { method: 'POST', body: { ...valid, ...fields } });

  it('201: creates an endpoint and shows its secret only then', async () => {
    const { status, body } = await create();
    expect(status).to.equal(201);
    expect(body).to.include({ url: valid.url, name: 'CRM', isEnabled: true, qrCodeIds: null });
    expect(Buffer.from(body.secret.slice(6), 'base64')).to.have.length(32);
    const read = await api(`/webhooks/${body.id}`);
    expect(read.body).to.not.have.property('secret');
    expect((await api('/webhooks')).body.data).to.deep.equal([read.body]);
    const { rows } = (await service.db.raw(
      'SELECT webhook_endpoints::text AS text FROM webhook_endpoints',
    )) as {
      rows: { text: string }[];
    };
    expect(JSON.stringify(rows)).to.not.include(body.secret);
  });

  for (const [url, message] of [
    ['http://127.0.0.1/', 'must lead to a public IP address, not to a private or local network'],
    [
      'http://169.254.169.254/latest/meta-data/',
      'must lead to a public IP address, not to a private or local network',
    ],
    ['http://0x7f.1:8080/', 'must lead to a public IP address, not to a private or local network'],
    ['https://localhost/', 'must lead to a public IP address, not to a private or local network'],
    ['https://example.com:22/', 'must have the port 80, 443 or one above 1023'],
    ['http://example.com:0/', 'must have the port 80, 443 or one above 1023'],
    ['https://user:secret@example.com/', 'must not contain a user name or password'],
    ['ftp://example.com/', 'must be an absolute http or https URL with at most 2000 characters'],
  ] as const) {
    it(`400: rejects ${url}, also in a change`, async () => {
      const details = [{ field: 'url', message }];
      const refused = await create({ url });
      expect(refused.status).to.equal(400);
      expect(refused.body.details).to.deep.equal(details);
      const { body } = await create();
      const changed = await api(`/webhooks/${body.id}`, { method: 'PATCH', body: { url } });
      expect(changed.status).to.equal(400);
      expect(changed.body.details).to.deep.equal(details);
    });
  }

  it('400: rejects no events, unknown ones and empty lists', async () => {
    for (const fields of [{ events: [] }, { events: ['ping'] }, { qrCodeIds: [] }, { categories: [] }])
      expect((await create(fields)).status, JSON.stringify(fields)).to.equal(400);
  });

  it('400: names each code that is not one of the owner, in POST and PATCH', async () => {
    const own = (
      await api('/qrcodes', { method: 'POST', body: { name: 'One', content: 'https://a.example/' } })
    ).body.id;
    const other = apiClient(service.url, await service.makeKey({ email: 'other-codes@example.com' }));
    const foreign = (
      await other('/qrcodes', { method: 'POST', body: { name: 'Two', content: 'https://b.example/' } })
    ).body.id;
    const qrCodeIds = [foreign, own.toUpperCase(), '00000000-0000-7000-8000-000000000000'];
    const details = [0, 2].map((index) => ({
      field: `qrCodeIds[${index}]`,
      message: 'is not one of your QR codes',
    }));
    const refused = await create({ qrCodeIds });
    expect(refused.status).to.equal(400);
    expect(refused.body.details).to.deep.equal(details);
    const { body } = await create({ qrCodeIds: [own.toUpperCase()] });
    expect(body.qrCodeIds).to.deep.equal([own]);
    const changed = await api(`/webhooks/${body.id}`, { method: 'PATCH', body: { qrCodeIds } });
    expect(changed.body.details).to.deep.equal(details);
  });

  it('keeps a code of its list that was deleted since, when the list is sent again', async () => {
    const make = async () =>
      (await api('/qrcodes', { method: 'POST', body: { name: 'One', content: 'https://a.example/' } })).body
        .id;
    const qrCodeIds = [await make(), await make()];
    const { body } = await create({ qrCodeIds });
    await api(`/qrcodes/${qrCodeIds[0]}`, { method: 'DELETE' });
    const again = await api(`/webhooks/${body.id}`, { method: 'PATCH', body: { qrCodeIds } });
    expect([again.status, again.body.qrCodeIds]).to.deep.equal([200, qrCodeIds]);
  });

  it('400: has a limit of endpoints by plan, which holds for parallel requests', async () => {
    const free = apiClient(service.url, await service.makeKey({ email: 'free@example.com', plan: 'free' }));
    const statuses = await Promise.all(Array.from({ length: 6 }, () => create({}, free))).then((made) =>
      made.map(({ status }) => status).toSorted((a, b) => a - b),
    );
    expect(statuses).to.deep.equal([201, 201, 201, 400, 400, 400]);
  });

  it('200: changes what is sent, and disables and enables an endpoint', async () => {
    const { body } = await create();
    const change = (fields: object) => api(`/webhooks/${body.id}`, { method: 'PATCH', body: fields });
    expect((await change({ categories: ['Menus'] })).body).to.deep.include({
      categories: ['Menus'],
      url: valid.url,
    });
    expect((await change({ isEnabled: false })).body).to.include({
      isEnabled: false,
      disabledReason: 'owner',
    });
    expect((await change({ isEnabled: true })).body).to.include({ isEnabled: true, disabledReason: null });
  });

  it('writes the event of a change only if the change is committed', async () => {
    const { body } = await create({ events: ['code.created'] });
    const rejected = new Error('rolled back');
    const { user_id: userId } = (await service.db('webhook_endpoints').where({ id: body.id }).first()) as {
      user_id: string;
    };
    await api('/qrcodes', { method: 'POST', body: { name: 'One', content: 'https://example.com/' } });
    await service.db
      .transaction(async (transaction) => {
        await transaction.raw(
          `INSERT INTO qr_codes SELECT (jsonb_populate_record(code, jsonb_build_object(
             'id', gen_random_uuid(), 'share_token', 'rolledback'))).* FROM qr_codes AS code WHERE user_id = ?`,
          [userId],
        );
        const inside = (await transaction('webhook_deliveries').where({ endpoint_id: body.id })) as object[];
        expect(inside).to.have.length(2);
        throw rejected;
      })
      .catch((error: unknown) => expect(error).to.equal(rejected));
    expect((await api(`/webhooks/${body.id}/deliveries`)).body.data).to.have.length(1);
  });

  it('400: replays a period of the last 30 days, and names each bad end of it', async () => {
    const { body } = await create();
    const replay = (from: string, to: string) =>
      api(`/webhooks/${body.id}/replay`, { method: 'POST', body: { from, to } });
    const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString();
    const old = await replay(daysAgo(32), daysAgo(33));
    expect(old.status).to.equal(400);
    expect(old.body.details).to.deep.equal([
      { field: 'from', message: 'must be at most 30 days ago' },
      { field: 'to', message: 'must be after from' },
    ]);
    expect((await replay('0001-01-01T00:00:00.000Z', daysAgo(0))).status).to.equal(400);
    expect((await replay(daysAgo(30), '9999-12-31T23:59:59.999Z')).status).to.equal(202);
  });

  it('400: the form names the lines with codes that are not those of the owner', async () => {
    const email = 'lines@example.com';
    const owner = apiClient(service.url, await service.makeKey({ email }));
    const make = async (client: ApiClient) => {
      const body = { name: 'One', content: 'https://a.example/' };
      return (await client('/qrcodes', { method: 'POST', body })).body.id as string;
    };
    const [own, foreign] = [await make(owner), await make(api)];
    const client = await signedIn(service, email);
    await client.get('/webhooks');
    const fields = { name: 'CRM', url: 'https://example.com/hook', 'code-created': 'on' };
    const send = (codes: string) => client.post('/webhooks/new', { ...fields, codes });
    const refused = await send(`https://qr.test/codes/${own}\nhttps://qr.test/codes/${foreign}`);
    expect(refused.status).to.equal(400);
    expect(await refused.text()).to.include('has codes that are not yours, in line 2');
    expect((await send(`https://qr.test/codes/${own}`)).status).to.equal(303);
  });

  it('400: the form of a replay accepts days only', async () => {
    const email = 'days@example.com';
    const { body } = await create({}, apiClient(service.url, await service.makeKey({ email })));
    const client = await signedIn(service, email);
    await client.get('/webhooks');
    const today = new Date().toISOString().slice(0, 10);
    for (const [firstDay, lastDay] of [
      ['+275760-09-13', '+275760-09-13'],
      [today, '+275760-09-13'],
      ['', today],
      [today, '2026-02-31'],
      ['0001-01-01', today],
      [today, `${today}T25:00`],
    ] as const) {
      const answer = await client.post(`/webhooks/${body.id}/replay`, { firstDay, lastDay });
      expect(answer.status, `${firstDay} to ${lastDay}`).to.equal(400);
    }
    const given = { firstDay: today, lastDay: today };
    expect((await client.post(`/webhooks/${body.id}/replay`, given)).status).to.equal(303);
  });
});
