import { expect } from 'chai';
import { apiClient } from '../support/api-client.ts';
import { eventually } from '../support/eventually.ts';
import { sendRaw } from '../support/raw-request.ts';
import { startService, type TestService } from '../support/service.ts';
import { createCode } from '../support/share.ts';
import { laneRows } from './lane-rows.ts';
import { expectNoInternalDetails } from './no-internal-details.ts';

const hex = (letter: string) => `%${letter.charCodeAt(0).toString(16)}`;
const otherCase = (letter: string) =>
  letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase();

describe(`Hostile input to the scan lane (${laneRows.length} cases)`, () => {
  let service: TestService;
  let tokens: Record<string, string>;
  let ids: string[];
  let scans = 0;

  before(async () => {
    // Behind a proxy, so that X-Forwarded-For is parsed.
    service = await startService({ worker: true, config: { trustProxyHops: 1 } });
    const api = apiClient(service.url, await service.makeKey());
    const codes = {
      link: await createCode(api),
      odd: await createCode(api, { content: 'https://example.com/a b"c?é' }),
      text: await createCode(api, { type: 'text', content: '<script>alert(1)</script>' }),
      private: await createCode(api),
      expired: await createCode(api),
    };
    const change = (id: string, body: object) => api(`/qrcodes/${id}`, { method: 'PATCH', body });
    await change(codes.private.id, { isPublic: false });
    await change(codes.expired.id, { expiresAt: '2020-01-01T00:00:00.000Z' });
    ids = Object.values(codes).map(({ id }) => id);
    const { shareToken } = codes.link;
    tokens = {
      LINK: shareToken.replace(/[a-z]/i, otherCase),
      encoded: shareToken.replace(/^./, hex),
      ...Object.fromEntries(Object.entries(codes).map(([name, code]) => [name, code.shareToken])),
    };
  });
  after(() => service.stop());

  for (const { name, path, isWhole, gets, ...request } of laneRows) {
    it(`${name}: ${gets.status}${gets.isScan ? ', counted' : ''}`, async () => {
      const filled = path.replaceAll(/:(\w+)/g, (given, code: string) => tokens[code] ?? given);
      const answer = await sendRaw(service.url, { ...request, path: (isWhole ? '' : '/r/') + filled });
      expect(answer.status, answer.text).to.equal(gets.status);
      if (gets.says) expect(answer.text).to.contain(gets.says);
      for (const [header, value] of Object.entries(gets.headers ?? {}))
        expect(answer.headers.get(header), header).to.equal(value);
      // The pages set a visitor cookie; the lane sets none.
      if (!isWhole) expect(answer.headers.get('Set-Cookie')).to.equal(null);
      expect([...answer.headers].flat().join() + answer.text).to.not.contain('evil.example');
      expectNoInternalDetails(answer.text);
      if (gets.isScan) scans += 1;
    });
  }

  it('has exactly the expected scans in the database', async () => {
    expect(scans).to.equal(laneRows.filter(({ gets }) => gets.isScan).length);
    const count = async () =>
      Number((await service.db('scans').whereIn('qr_code_id', ids).count<{ count: number }[]>())[0]?.count);
    await eventually(async () => expect(await count()).to.equal(scans));
    expect((await fetch(`${service.url}/readyz`)).status).to.equal(200);
  });
});
