import { expect } from 'chai';
import type { ApiClient } from '../../support/api-client.ts';
import { expectError, expectInvalid } from '../../support/expect-error.ts';
import { ownerClient } from '../../support/owner-client.ts';
import { sharedService } from '../../support/shared-service.ts';

interface Detail {
  field: string;
  message: string;
}

const menu = { name: 'Menu', content: 'https://example.com/menu' };
const assigned = 'is assigned by the service and cannot be set';

describe('unknown fields and parameters (decisions: Bodies and errors)', () => {
  let api: ApiClient;
  let id: string;

  before(async () => {
    api = ownerClient(await sharedService());
    id = (await api('/qrcodes', { method: 'POST', body: menu })).body.id;
  });

  const post = (body: object) => api('/qrcodes', { method: 'POST', body });
  const patch = (body: object) => api(`/qrcodes/${id}`, { method: 'PATCH', body });

  /** 100 of thousands are listed and the rest are counted; a field that is invalid for another reason is listed as well. */
  function expectBounded(answer: Awaited<ReturnType<ApiClient>>, last: Detail): void {
    expectError(answer, 400, 'validation_error');
    const details = answer.body.details as Detail[];
    expect(details).to.have.length.below(110);
    expect(details.at(-1)).to.deep.equal(last);
    expect(details.map(({ field }) => field)).to.include('size');
    expect(JSON.stringify(answer.body)).to.have.length.below(16_000);
    expect(answer.body.message)
      .to.have.length.below(2_000)
      .and.to.match(/and \d+ more, see details\.$/);
  }

  for (const [method, send] of Object.entries({ POST: post, PATCH: patch })) {
    it(`${method}: lists 100 of 6,000 unknown fields and counts the rest`, async () => {
      const many = Object.fromEntries(Array.from({ length: 6_000 }, (_, index) => [`f${index}`, 0]));
      expectBounded(await send({ ...many, size: 1 }), {
        field: 'body',
        message: 'has 5900 more fields that are not part of this request',
      });
    });

    it(`${method}: shortens a field name of 60,000 bytes`, async () => {
      const answer = await send({ ['🎉x'.repeat(12_000)]: 1 });
      expectError(answer, 400, 'validation_error');
      expect(JSON.stringify(answer.body)).to.have.length.below(1_000);
    });

    for (const [field, message] of Object.entries({
      id: assigned,
      shareToken: assigned,
      shareUrl: assigned,
      createdAt: assigned,
      updatedAt: assigned,
      scanCount: 'is counted by the service and cannot be set',
      x: 'is not a field of this request',
      constructor: 'is not a field of this request',
      Name: 'is not a field of this request (did you mean name?)',
      foreground_color: 'is not a field of this request (did you mean foregroundColor?)',
      backgroundColour: 'is not a field of this request (did you mean backgroundColor?)',
    })) {
      it(`${method}: ${field} ${message}`, async () => {
        const answer = await send({ ...menu, [field]: 'text' });
        expectInvalid(answer, [field]);
        expect(answer.body.details[0].message).to.equal(message);
      });
    }
  }

  it('POST: isFavorite cannot be set here; use PATCH /api/v1/qrcodes/{id}', async () => {
    const { body } = await post({ ...menu, isFavorite: true });
    expect(body.message).to.equal('isFavorite cannot be set here; use PATCH /api/v1/qrcodes/{id}.');
  });

  it('lists 100 of thousands of unknown parameters and counts the rest', async () => {
    const many = Array.from({ length: 2_500 }, (_, index) => `q${index}`).join('&');
    const answer = await api(`/qrcodes?limit=0&${many}`);
    expectError(answer, 400, 'validation_error');
    const details = answer.body.details as Detail[];
    expect(details).to.have.length(102);
    expect(details[0]).to.deep.equal({ field: 'limit', message: 'must be at least 1' });
    expect(details[1]).to.deep.equal({ field: 'q0', message: 'is not a parameter of this request' });
    expect(details.at(-1)).to.deep.equal({
      field: 'query',
      message: 'has 2400 more parameters that are not part of this request',
    });
  });

  it('suggests a parameter with a similar spelling', async () => {
    const { body } = await api('/qrcodes?Limit=5');
    expect(body.message).to.equal('Limit is not a parameter of this request (did you mean limit?).');
  });
});
