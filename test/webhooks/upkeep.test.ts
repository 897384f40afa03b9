import { expect } from 'chai';
import { deleteUser, User } from '../../src/accounts/users.ts';
import { dayMs } from '../../src/runtime/units.ts';
import { recordScans } from '../../src/scans/record-scans.ts';
import { idAt } from '../../src/webhooks/deliveries.ts';
import { createEndpoint, Endpoint, resealSecrets } from '../../src/webhooks/endpoints.ts';
import { writeExpiringEvents } from '../../src/webhooks/expiring-events.ts';
import { purgeDeliveries } from '../../src/webhooks/purge-deliveries.ts';
import { createSecretBox } from '../../src/webhooks/signing.ts';
import { type ApiClient, apiClient } from '../support/api-client.ts';
import { scanRow } from '../support/scan-rows.ts';
import { startService, type TestService } from '../support/service.ts';
import { createCode } from '../support/share.ts';

describe('Upkeep of webhooks', () => {
  let service: TestService;
  let api: ApiClient;
  let user: User;
  let endpoint: Endpoint;
  let users = 0;
  const box = createSecretBox([Buffer.alloc(32, 1)]);

  before(async () => {
    service = await startService();
  });
  beforeEach(async () => {
    const email = `upkeep-${(users += 1)}@example.com`;
    api = apiClient(service.url, await service.makeKey({ email }));
    user = await User.query(service.db).findOne({ email }).throwIfNotFound();
    ({ endpoint } = await createEndpoint(
      service.db,
      user.id,
      {
        url: 'https://example.com/hook',
        name: 'Test',
        events: ['code.expiring', 'scan.recorded', 'code.deleted'],
        codeIds: null,
        categories: null,
      },
      { box, quota: 3, now: new Date() },
    ));
  });
  after(() => service.stop());

  const deliveries = () =>
    service.db('webhook_deliveries').where({ endpoint_id: endpoint.id }).orderBy('id') as Promise<
      { id: string; event: string; data: { days_left: number } }[]
    >;
  const never = () => false;

  it('write code.expiring once for 30, 7 and 1 days, and again for another end', async () => {
    const now = Date.now();
    const { id } = await createCode(api, { expiresAt: new Date(now + 29 * dayMs).toISOString() });
    const daysLeft = async (daysLater: number) => {
      await writeExpiringEvents(service.db, new Date(now + daysLater * dayMs));
      return (await deliveries()).map(({ data }) => data.days_left);
    };
    expect(await daysLeft(-5)).to.deep.equal([]);
    expect(await daysLeft(0)).to.deep.equal([30]);
    expect(await daysLeft(1)).to.deep.equal([30]);
    expect(await daysLeft(23)).to.deep.equal([30, 7]);
    expect(await daysLeft(28.5)).to.deep.equal([30, 7, 1]);
    expect(await daysLeft(30)).to.deep.equal([30, 7, 1]);
    await api(`/qrcodes/${id}`, {
      method: 'PATCH',
      body: { expiresAt: new Date(now + 36 * dayMs).toISOString() },
    });
    expect(await daysLeft(30)).to.deep.equal([30, 7, 1, 7]);
  });

  it('purge deliveries after 30 days, and scans that wait for an endpoint that is gone', async () => {
    const old = idAt(new Date(Date.now() - 31 * dayMs), '0');
    const recent = idAt(new Date(Date.now() - 29 * dayMs), '0');
    await service
      .db('webhook_deliveries')
      .insert([old, recent].map((id) => ({ id, endpoint_id: endpoint.id, event: 'ping' })));
    const { id } = await createCode(api);
    await recordScans(service.db, [scanRow(id, new Date().toISOString())]);
    const waiting = () =>
      service.db('webhook_scans').where({ endpoint_id: endpoint.id }) as Promise<object[]>;
    await purgeDeliveries(service.db, new Date(), never);
    expect((await deliveries()).map((delivery) => delivery.id)).to.deep.equal([recent]);
    expect(await waiting()).to.have.length(1);
    await service.db('webhook_endpoints').where({ id: endpoint.id }).delete();
    await purgeDeliveries(service.db, new Date(), never);
    expect(await waiting()).to.deep.equal([]);
  });

  it('delete everything with the account', async () => {
    const { id } = await createCode(api);
    await recordScans(service.db, [scanRow(id, new Date().toISOString())]);
    await deleteUser(service.db, user);
    await purgeDeliveries(service.db, new Date(), never);
    for (const table of ['webhook_endpoints', 'webhook_deliveries', 'webhook_scans']) {
      const column = table === 'webhook_endpoints' ? 'id' : 'endpoint_id';
      expect(await service.db(table).where({ [column]: endpoint.id }), table).to.deep.equal([]);
    }
  });

  it('encrypt secrets again with a new root secret', async () => {
    const rotated = createSecretBox([Buffer.alloc(32, 2), Buffer.alloc(32, 1)]);
    const secret = box.open(endpoint.sealedSecret);
    await resealSecrets(service.db, rotated);
    const stored = await Endpoint.query(service.db).findById(endpoint.id).throwIfNotFound();
    expect(createSecretBox([Buffer.alloc(32, 2)]).open(stored.sealedSecret)).to.equal(secret);
    expect(() => box.open(stored.sealedSecret)).to.throw('cannot be decrypted');
  });
});
