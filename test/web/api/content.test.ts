import { expect } from 'chai';
import type { ApiClient } from '../../support/api-client.ts';
import { expectInvalid } from '../../support/expect-error.ts';
import { ownerClient } from '../../support/owner-client.ts';
import { startService, type TestService } from '../../support/service.ts';

const room = { L: 2953, M: 2331, Q: 1663, H: 1273 };

/** Text of exactly that many bytes of UTF-8, filled with the given character as far as possible. */
function ofBytes(bytes: number, character: string): string {
  const each = Buffer.byteLength(character);
  return character.repeat(Math.floor(bytes / each)) + 'x'.repeat(bytes % each);
}

describe('content of a QR code (decisions: Bodies and errors)', () => {
  let service: TestService;
  let api: ApiClient;
  const create = (body: object) => api('/qrcodes', { method: 'POST', body: { name: 'Code', ...body } });

  before(async () => {
    service = await startService();
    api = ownerClient(service);
  });
  after(() => service.stop());

  async function expectStored(body: { content: string; type: string; errorCorrection?: string }) {
    const created = await create(body);
    expect(created.status, JSON.stringify(created.body)).to.equal(201);
    expect(created.body.content).to.equal(body.content);
    expect((await api(`/qrcodes/${created.body.id}`)).body.content).to.equal(body.content);
  }

  describe('has at most the UTF-8 bytes that a QR code holds at its error correction', () => {
    for (const [errorCorrection, most] of Object.entries(room)) {
      for (const character of ['x', 'é', '€', '🎉']) {
        it(`${errorCorrection}: ${most} bytes of ${character} fit, one more is rejected`, async () => {
          await expectStored({ type: 'text', errorCorrection, content: ofBytes(most, character) });
          const content = ofBytes(most + 1, character);
          expectInvalid(await create({ type: 'text', errorCorrection, content }), ['content']);
        });
      }

      it(`${errorCorrection}: a URL of ${most} bytes fits, of one more does not`, async () => {
        const content = 'https://example.com/'.padEnd(most, 'x');
        await expectStored({ type: 'url', errorCorrection, content });
        expectInvalid(await create({ type: 'url', errorCorrection, content: `${content}x` }), ['content']);
      });
    }

    it('counts against M when no error correction is given', async () => {
      await expectStored({ type: 'text', content: 'x'.repeat(2331) });
      expectInvalid(await create({ type: 'text', content: 'x'.repeat(2332) }), ['content']);
    });
  });

  describe('of type url is an absolute http or https URL', () => {
    const accepted = [
      'http://example.com',
      'https://example.com/a?b=c&d=%20#e',
      'HTTPS://EXAMPLE.COM/Path',
      'https://münchen.example/straße?q=🎉',
      'http://127.0.0.1:8080/',
      'https://[::1]:8443/x',
      'https://example.com/r/abcdefghij',
      'https://qr.test/',
      'https://qr.test/about',
      'https://qr.test/rest',
      'https://qr.test.example.com/r/abcdefghij',
      'https://example.com/?next=https://qr.test/r/abcdefghij',
    ];
    for (const content of accepted) {
      it(`stores ${content} as it was sent`, () => expectStored({ type: 'url', content }));
    }

    const refused: Record<string, string[]> = {
      'another scheme': [
        'javascript:alert(1)',
        'JavaScript:alert(1)',
        'ftp://example.com/',
        'data:text/html,hi',
        'mailto:a@example.com',
        'file:///etc/passwd',
        'blob:https://example.com/1',
      ],
      'no absolute URL': ['/menu', 'menu', 'example.com', '//example.com/', '?a=b', 'https://', 'http:///'],
      'a broken address': ['https://example.com:99999/', 'http://[::1', 'https://exa mple.com/'],
      'the port 0, which nothing answers on': ['http://example.com:0/', 'https://[::1]:00/x'],
      credentials: ['https://user@example.com/', 'https://user:pw@example.com/', 'https://:pw@example.com/'],
      'a share address of our own': [
        'https://qr.test/r/abcdefghij',
        'http://qr.test/r/abcdefghij',
        'https://QR.TEST/r/abcdefghij',
        'https://qr.test:443/r/abcdefghij',
        'http://qr.test:8080/r/abcdefghij',
        'https://qr.test./r/abcdefghij',
        'https://qr.test../r/abcdefghij',
        'https://%71r.test/r/abcdefghij',
        'https://ｑｒ.test/r/abcdefghij',
        'https://qr。test/r/abcdefghij',
        'https://qr.test/%72/abcdefghij',
        'https://qr.test//r/abcdefghij',
        'https://qr.test/x/%2e%2e/r/abcdefghij',
        'https://qr.test/r/abcdefghij.svg?encode=content#top',
        'https://qr.test/x/../r/abcdefghij',
        String.raw`https:\\qr.test\r\abcdefghij`,
      ],
      'control characters or spaces around': [
        'https://example.com/\na',
        'https://exam\tple.com/',
        'https://example.com/\r',
        'https://example.com/\u007f',
        '\u0001https://example.com/',
        ' https://example.com/',
        'https://example.com/ ',
        ' ',
      ],
    };
    for (const [why, contents] of Object.entries(refused)) {
      for (const content of contents) {
        it(`rejects ${why}: ${JSON.stringify(content)}`, async () => {
          expectInvalid(await create({ type: 'url', content }), ['content']);
          expectInvalid(await create({ content }), ['content']);
        });
      }
    }
  });

  describe('of the other types must not link to our own share links', () => {
    const refused: [string, string][] = [
      ['social', 'https://qr.test/r/abcdefghij'],
      ['social', 'HTTP://QR.test.:8080/r/abcdefghij'],
      ['social', 'Us: https://example.com/ and https://%71r.test/%72/abcdefghij,'],
      ['whatsapp', 'https://qr.test/r/abcdefghij'],
      ['geo', 'https://qr.test/r/abcdefghij'],
      ['vcard', 'BEGIN:VCARD\nFN:Ada\nURL:https://qr.test/r/abcdefghij\nEND:VCARD'],
      ['vcard', 'MECARD:N:Ada;URL:qr.test/r/abcdefghij;;'],
    ];
    for (const [type, content] of refused) {
      it(`rejects ${type} ${JSON.stringify(content)}`, async () => {
        expectInvalid(await create({ type, content }), ['content']);
      });
    }

    it('but may link to our other pages', () =>
      expectStored({ type: 'social', content: 'https://qr.test/about' }));
  });

  describe('of the other types is stored unchanged', () => {
    const accepted: [string, string][] = [
      ['text', '  Cafe\u0301 \u200f\u202e\t\nline two \u0001 '],
      ['text', 'javascript:alert(1)'],
      ['text', 'https://qr.test/r/abcdefghij'],
      ['wifi', 'WIFI:T:WPA;S:Guest;P:se\\;cret;;'],
      ['wifi', 'Guest'],
      ['vcard', 'BEGIN:VCARD\r\nVERSION:3.0\r\nFN:Ada Lovelace\r\nEND:VCARD\r\n'],
      ['vcard', 'Ada Lovelace'],
      ['email', 'ada@example.com'],
      ['email', 'mailto:ada@example.com?subject=Hi'],
      ['email', 'not an address'],
      ['phone', '+15551234'],
      ['phone', 'tel:+15551234'],
      ['phone', 'call me'],
      ['sms', '+15551234'],
      ['sms', 'SMSTO:+15551234:Hello'],
      ['whatsapp', '+15551234'],
      ['whatsapp', 'https://wa.me/15551234'],
      ['geo', '52.5,13.4'],
      ['geo', 'geo:52.5,13.4'],
      ['geo', 'geo:91,181'],
      ['social', 'https://social.example/@ada'],
      ['social', '@ada'],
    ];
    for (const [type, content] of accepted) {
      it(`${type}: ${JSON.stringify(content)}`, () => expectStored({ type, content }));
    }
  });
});
