import { expect } from 'chai';
import { addBlock, countCodesLeadingTo, removeBlock } from '../../src/codes/blocks.ts';
import type { ApiClient } from '../support/api-client.ts';
import { ownerClient } from '../support/owner-client.ts';
import { startService, type TestService } from '../support/service.ts';
import { createCode, openShare, type SharedCode } from '../support/share.ts';

const target = 'https://closed.example/thanks';

describe('The share link of a code after its end', () => {
  let service: TestService;
  let api: ApiClient;

  before(async () => {
    service = await startService();
    api = ownerClient(service);
  });
  after(() => service.stop());

  const patch = (id: string, body: object) => api(`/qrcodes/${id}/ending`, { method: 'PATCH', body });

  async function endedCode(fields: object = {}, afterExpiryUrl: string | null = target): Promise<SharedCode> {
    const code = await createCode(api, fields);
    await patch(code.id, { expiresAt: '2020-01-01T00:00:00.000Z', afterExpiryUrl });
    return code;
  }

  it('leads where the owner chose, for every type, and no cache keeps it', async () => {
    for (const fields of [
      {},
      { type: 'text', content: 'Hello' },
      { type: 'phone', content: '+15550100123' },
    ]) {
      const { shareToken } = await endedCode(fields);
      for (const method of ['GET', 'HEAD']) {
        const answer = await openShare(service.url, shareToken, { method });
        expect(answer.status).to.equal(302);
        expect(answer.headers.get('location')).to.equal(target);
        expect(answer.headers.get('cache-control')).to.equal('no-store');
      }
    }
  });

  it('answers 410 without such an address, and for pictures and private codes as before', async () => {
    const plain = await endedCode({}, null);
    expect((await openShare(service.url, plain.shareToken)).status).to.equal(410);
    const { id, shareToken } = await endedCode();
    for (const file of ['.svg', '.png', '.vcf'])
      expect((await openShare(service.url, shareToken + file)).status, file).to.equal(410);
    await api(`/qrcodes/${id}`, { method: 'PATCH', body: { isPublic: false } });
    expect((await openShare(service.url, shareToken)).status).to.equal(404);
  });

  it('leads to the content again when the code is renewed', async () => {
    const { id, shareToken, content } = await endedCode();
    expect((await openShare(service.url, shareToken)).headers.get('location')).to.equal(target);
    await patch(id, { expiresAt: null });
    expect((await openShare(service.url, shareToken)).headers.get('location')).to.equal(content);
  });

  it('is blocked with the host of the address, before and after the end', async () => {
    const live = await createCode(api);
    await patch(live.id, { afterExpiryUrl: 'https://www.evil.example/' });
    const ended = await endedCode({}, 'https://evil.example/');
    expect(await countCodesLeadingTo(service.db, 'evil.example')).to.equal(2);
    await addBlock(service.db, { kind: 'host', value: 'evil.example', reason: null, createdAt: new Date() });
    service.passTime(10_000);
    for (const { shareToken } of [live, ended]) {
      const answer = await openShare(service.url, shareToken);
      expect(answer.status).to.equal(410);
      expect(await answer.text()).to.contain('This code was taken down');
    }
    await removeBlock(service.db, 'host', 'evil.example');
  });

  it('never redirects in a loop, even if an address became a share link of this service', async () => {
    const { id, shareToken } = await endedCode();
    await service
      .db('qr_codes')
      .where({ id })
      .update({ after_expiry_url: `https://qr.test/r/${shareToken}` });
    service.passTime(10_000);
    expect((await openShare(service.url, shareToken)).status).to.equal(410);
  });
});
