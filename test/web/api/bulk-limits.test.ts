import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { expect } from 'chai';
import { apiClient } from '../../support/api-client.ts';
import { eventually } from '../../support/eventually.ts';
import { ownerClient } from '../../support/owner-client.ts';
import { startService, type TestService } from '../../support/service.ts';
import { sharedService } from '../../support/shared-service.ts';

const body = { qrCodes: [{ name: 'Menu', content: 'https://example.com/menu' }] };

describe('Bulk requests that are sent slowly', () => {
  let service: TestService;

  before(async () => {
    service = await startService();
  });
  after(() => service.stop());

  /** Sends the start of a body and leaves the connection open. */
  async function sendSlowly(key: string): Promise<Socket> {
    const socket = connect(Number(new URL(service.url).port), '127.0.0.1');
    await once(socket, 'connect');
    const head = [
      'POST /api/v1/qrcodes/bulk HTTP/1.1',
      'Host: qr.test',
      `Authorization: Bearer ${key}`,
      'Content-Type: application/json',
      'Content-Length: 1000000',
    ];
    socket.write(`${head.join('\r\n')}\r\n\r\n{"codes":`);
    return socket;
  }
  async function countedRequests(): Promise<number> {
    const [row] = (await service
      .db('request_windows')
      .select(service.db.raw('sum(cardinality(recent))::int AS counted'))) as [{ counted: number | null }];
    return row.counted ?? 0;
  }

  it('let a third one of the same account wait, and those of others through', async () => {
    const [key, otherKey] = [await service.makeKey(), await service.makeKey()];
    const slow = await Promise.all([sendSlowly(key), sendSlowly(key)]);
    await eventually(async () => expect(await countedRequests()).to.equal(2));

    let isAnswered = false;
    const third = apiClient(service.url, key)('/qrcodes/bulk', { method: 'POST', body }).finally(() => {
      isAnswered = true;
    });
    await eventually(async () => expect(await countedRequests()).to.equal(3));
    const other = await apiClient(service.url, otherKey)('/qrcodes/bulk', { method: 'POST', body });
    expect([other.status, isAnswered]).to.deep.equal([200, false]);

    slow[0].destroy();
    expect((await third).status).to.equal(200);
    slow[1].destroy();
  });
});

describe('JSON bodies of very many values', () => {
  const refusal = [{ field: 'body', message: 'must have at most 20000 values' }];
  const fields = Array.from({ length: 105_000 }, (_, index) => `"${index.toString(16)}":1`).join();
  const nested = '['.repeat(500_000) + ']'.repeat(500_000);

  for (const [what, raw] of Object.entries({
    '105,000 fields': `{"qrCodes":[{${fields}}]}`,
    '500,000 nested arrays': `{"qrCodes":[${nested}]}`,
    '100,000 empty objects': `{"qrCodes":[${'{},'.repeat(100_000)}{}]}`,
  })) {
    it(`are refused before they are parsed: ${what}`, async () => {
      const api = ownerClient(await sharedService());
      const { status, body: answer } = await api('/qrcodes/bulk', { method: 'POST', raw });
      expect([status, answer.error, answer.code]).to.deep.equal([400, 'validation_error', 'malformed_body']);
      expect(answer.details).to.deep.equal(refusal);
    });
  }

  it('are not those with a long text, whatever is in it', async () => {
    const api = ownerClient(await sharedService());
    const name = String.raw`\"[{,`.repeat(100_000);
    const raw = `{"qrCodes":[{"name":"${name}","content":"https://example.com/"}]}`;
    const { body: answer } = await api('/qrcodes/bulk', { method: 'POST', raw });
    expect(answer.details).to.deep.equal([
      { field: 'qrCodes[0].name', message: 'must have at most 100 characters' },
    ]);
  });
});
