import { expect } from 'chai';
import { startSession } from '../../../src/accounts/sessions.ts';
import { findOrCreateUser } from '../../../src/accounts/users.ts';
import { demoCodes } from '../../../src/cli/demo-codes.ts';
import { isLabel } from '../../../src/codes/label.ts';
import type { ApiClient } from '../../support/api-client.ts';
import { expectInvalid } from '../../support/expect-error.ts';
import { formClient } from '../../support/form-client.ts';
import { ownerClient } from '../../support/owner-client.ts';
import { sharedService } from '../../support/shared-service.ts';
import type { TestService } from '../../support/service.ts';

const menu = { name: 'Menu', content: 'https://example.com/menu' };

const refused: Record<string, string> = {
  'a line feed': 'a\nb',
  'a carriage return': 'a\rb',
  'a tab': 'a\tb',
  'an escape': 'a\u001b[31mb',
  'a backspace': 'a\bb',
  DEL: 'a\u007fb',
  'a next line (C1)': 'a\u0085b',
  'a control sequence introducer (C1)': 'a\u009bb',
  'a line separator': 'a\u2028b',
  'a paragraph separator': 'a\u2029b',
  'a right-to-left override': 'invoice\u202efdp.exe',
  'an embedding': 'a\u202ab',
  'a pop of a direction': 'a\u202cb',
  'an isolate': 'a\u2067b\u2069',
};
const taken: Record<string, string> = {
  'a direction mark': '\u200eقائمة (2)',
  'a joiner in an emoji': '👩\u200d🍳',
  'Hebrew and English': 'תפריט menu',
  'a no-break space': 'a\u00a0b',
  'a soft hyphen': 'a\u00adb',
};

describe('names and categories (decisions: Bodies and errors)', () => {
  let service: TestService;
  let api: ApiClient;
  before(async () => {
    service = await sharedService();
    api = ownerClient(service);
  });

  for (const field of ['name', 'category']) {
    for (const [what, value] of Object.entries(refused)) {
      it(`${field}: rejects ${what}`, async () => {
        const answer = await api('/qrcodes', { method: 'POST', body: { ...menu, [field]: value } });
        expectInvalid(answer, [field]);
        expect(answer.body.details[0].message)
          .to.include('one line of text')
          .and.include('control characters');
      });
    }
    for (const [what, value] of Object.entries(taken)) {
      it(`${field}: accepts ${what}`, async () => {
        const { status, body } = await api('/qrcodes', { method: 'POST', body: { ...menu, [field]: value } });
        expect(status).to.equal(201);
        expect(body[field]).to.equal(value);
      });
    }
  }

  it('are valid in every demo code', () => {
    for (const { name, category } of demoCodes)
      expect([name, category ?? name].every(isLabel), name).to.equal(true);
  });

  it('are also rejected by PATCH and by the form; a code that already has one can still be changed', async () => {
    const email = 'labels@example.com';
    const user = await findOrCreateUser(service.db, email, new Date());
    const browser = formClient(service.url);
    browser.cookies.set('__Host-qrelay-session', await startSession(service.db, user.id, new Date()));
    await browser.get('/codes/new');
    const look = {
      size: '512',
      errorCorrection: 'M',
      foregroundColor: '#000000',
      backgroundColor: '#ffffff',
    };
    const form = { ...look, type: 'url', content: 'https://example.com/', name: 'a\u202eb' };
    const answer = await browser.post('/codes/new', form);
    expect(answer.status).to.equal(400);
    expect(await answer.text()).to.include('Name must be one line of text');

    const { body: code } = await api('/qrcodes', { method: 'POST', body: menu });
    const patch = (body: object) => api(`/qrcodes/${code.id}`, { method: 'PATCH', body });
    expectInvalid(await patch({ name: 'a\tb' }), ['name']);
    await service.db('qr_codes').where({ id: code.id }).update({ name: 'a\tb', category: 'a\tb' });
    expect((await patch({ size: 256 })).status).to.equal(200);
    const found = await api(`/qrcodes?category=${encodeURIComponent('a\tb')}`);
    expect(found.body.data).to.have.length(1);
  });
});
