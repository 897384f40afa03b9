import { expect } from 'chai';
import { type Database } from '../../../src/store/database.ts';
import type { ApiClient } from '../../support/api-client.ts';
import { eventually } from '../../support/eventually.ts';
import { expectError } from '../../support/expect-error.ts';
import { ownerClient } from '../../support/owner-client.ts';
import { startService, type TestService } from '../../support/service.ts';
import { assumedProofs } from '../../support/shared-threads.ts';
import { createCode } from '../../support/share.ts';

describe('A code with a design that is changed', () => {
  let service: TestService;
  let api: ApiClient;
  let beforeProof: () => Promise<unknown> = async () => undefined;

  before(async () => {
    service = await startService({
      proofs: {
        ...assumedProofs,
        async prove(...call) {
          await beforeProof();
          return assumedProofs.prove(...call);
        },
      },
    });
  });
  beforeEach(() => {
    api = ownerClient(service);
    beforeProof = async () => undefined;
  });
  after(() => service.stop());

  const send = (method: string, path: string, body: object, headers: Record<string, string> = {}) =>
    api(path, { method, body, headers });
  const read = async (id: string) => (await api(`/qrcodes/${id}`)).body;
  const designOf = async (id: string) => (await api(`/qrcodes/${id}/design`)).body;
  const inTransaction = async () => {
    const { rows } = (await service.db.raw(
      `SELECT count(*)::int AS count FROM pg_stat_activity
       WHERE datname = current_database() AND state = 'idle in transaction'`,
    )) as { rows: [{ count: number }] };
    return rows[0].count;
  };

  /** Holds the row of the code: the change waits for it after its proof. Meanwhile, `work` changes the code. */
  async function whileSaving(id: string, work: (transaction: Database) => Promise<unknown>) {
    const holder = await service.db.transaction();
    await holder('qr_codes').where({ id }).forUpdate().select('id');
    return {
      async release() {
        await eventually(async () => {
          const { rows } = (await service.db.raw(
            `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
          )) as { rows: unknown[] };
          expect(rows).to.have.length(1);
        });
        await work(holder);
        await holder.commit();
      },
    };
  }

  it('returns the ETag that it has then, and is one change', async () => {
    const { id } = await createCode(api);
    await send('PUT', `/qrcodes/${id}/design`, { moduleShape: 'dots' });
    await send('POST', '/webhooks', {
      name: 'Shop',
      url: 'https://example.com/hook',
      events: ['code.updated'],
    });
    const changed = await send('PATCH', `/qrcodes/${id}`, { foregroundColor: '#000080' });
    expect(changed.status).to.equal(200);
    const etag = String(changed.headers.get('ETag'));
    expect((await api(`/qrcodes/${id}`)).headers.get('ETag')).to.equal(etag);
    expect(await service.db('webhook_deliveries').where({ qr_code_id: id })).to.have.length(1);
    expect((await send('PATCH', `/qrcodes/${id}`, { name: 'New' }, { 'If-Match': etag })).status).to.equal(
      200,
    );
    expect((await designOf(id)).readsAtMm).to.be.a('number');
  });

  it('keeps an error correction that was changed while its design was proven', async () => {
    const { id } = await createCode(api);
    const held = await whileSaving(id, (transaction) =>
      transaction('qr_codes').where({ id }).update({ error_correction: 'H' }),
    );
    const saving = send('PUT', `/qrcodes/${id}/design`, { moduleShape: 'dots' });
    await held.release();
    expectError(await saving, 412, 'validation_error');
    expect(await read(id)).to.include({ errorCorrection: 'H' });
    expect((await designOf(id)).moduleShape).to.equal('square');
  });

  it('is not changed where it got another design while its own was proven', async () => {
    const { id } = await createCode(api);
    await send('PUT', `/qrcodes/${id}/design`, { moduleShape: 'dots' });
    const held = await whileSaving(id, (transaction) =>
      transaction('designs')
        .where({ code_id: id })
        .update({ design: { moduleShape: 'bars' }, updated_at: new Date(Date.now() + 1) }),
    );
    const changing = send('PATCH', `/qrcodes/${id}`, { foregroundColor: '#000080' });
    await held.release();
    expectError(await changing, 412, 'validation_error');
    expect(await read(id)).to.include({ foregroundColor: '#1a1410' });
    expect((await designOf(id)).moduleShape).to.equal('bars');
  });

  it('holds no connection while it is proven, also with an Idempotency-Key', async () => {
    const ids: string[] = [];
    for (let index = 0; index < 4; index += 1) {
      const { id } = await createCode(api);
      await send('PUT', `/qrcodes/${id}/design`, { moduleShape: 'dots' });
      ids.push(id);
    }
    let proving = 0;
    let proceed = () => undefined as void;
    const mayEnd = new Promise<void>((resolve) => {
      proceed = resolve;
    });
    beforeProof = () => {
      proving += 1;
      return mayEnd;
    };
    const changes = Promise.all(
      ids.map((id) =>
        send('PATCH', `/qrcodes/${id}`, { foregroundColor: '#000080' }, { 'Idempotency-Key': id }),
      ),
    );
    await eventually(async () => expect(proving).to.equal(4));
    await eventually(async () => expect(await inTransaction()).to.equal(0));
    proceed();
    for (const { status } of await changes) expect(status).to.equal(200);
  });
});
