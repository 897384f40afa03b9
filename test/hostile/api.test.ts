import { expect } from 'chai';
import { revokeApiKey } from '../../src/accounts/api-keys.ts';
import { apiClient } from '../support/api-client.ts';
import { sendRaw } from '../support/raw-request.ts';
import { startService, type TestService } from '../support/service.ts';
import { createCode } from '../support/share.ts';
import { addressRows } from './api-addresses.ts';
import { bodyRows } from './api-bodies.ts';
import { fieldRows } from './api-fields.ts';
import { headerRows } from './api-headers.ts';
import { type ApiRow, expectAnswer } from './api-row.ts';

const tables: Record<string, ApiRow[]> = {
  'as a body': bodyRows,
  'as a field': fieldRows,
  'as an address': addressRows,
  'as a key or a header': headerRows,
};
const count = Object.values(tables).flat().length;
const email = 'hostile@example.com';
const rowsAKey = 80;

describe(`Hostile input to the API (${count} cases)`, () => {
  let service: TestService;
  let id: string;
  let keys: Record<string, string>;
  let asked = 0;

  before(async () => {
    service = await startService();
    id = (await createCode(apiClient(service.url, await service.makeKey({ email })))).id;
    const [good, other, revoked] = [
      await service.makeKey(),
      await service.makeKey(),
      await service.makeKey(),
    ];
    await revokeApiKey(service.db, revoked.split('_')[1] ?? '', new Date());
    keys = {
      '{key}': good,
      '{small key}': good.toLowerCase(),
      '{short key}': good.slice(0, -1),
      '{mistyped key}': good.replace(/.$/, (last) => (last === 'a' ? 'b' : 'a')),
      '{foreign key}': good.replace('qrl_', 'abc_'),
      '{mixed key}': [...good.split('_').slice(0, 2), other.split('_')[2]].join('_'),
      '{revoked key}': revoked,
    };
  });
  after(() => service.stop());

  const filled = (text: string) =>
    text.replaceAll(':id', id).replaceAll(/\{[a-z ]*key\}/g, (name) => keys[name] ?? name);
  let current = '';

  async function ask(row: ApiRow) {
    if (asked % rowsAKey === 0) current = await service.makeKey({ email });
    asked += 1;
    const headers = (row.headers ?? []).map(([name, value]): [string, string] => [name, filled(value)]);
    return sendRaw(service.url, {
      ...row,
      path: (row.isWhole ? '' : '/api/v1') + filled(row.path),
      headers: row.withoutKey ? headers : [['Authorization', `Bearer ${current}`], ...headers],
    });
  }

  for (const [where, rows] of Object.entries(tables)) {
    describe(where, () => {
      for (const row of rows) {
        it(`${row.name}: ${row.gets.status}`, async () => expectAnswer(row, await ask(row)));
      }
    });
  }

  it('has no duplicate name, so that a failing case can be found', () => {
    const names = Object.values(tables)
      .flat()
      .map(({ name }) => name);
    expect(names.filter((name, index) => names.indexOf(name) !== index)).to.deep.equal([]);
  });

  it('left the targeted code and the service intact', async () => {
    const api = apiClient(service.url, await service.makeKey({ email }));
    const { status, body } = await api(`/qrcodes/${id}`);
    expect(status).to.equal(200);
    expect(body).to.include({ id, name: 'Test', type: 'url', scanCount: 0 });
    expect((await fetch(`${service.url}/readyz`)).status).to.equal(200);
  });
});
