import { ReadableStream } from 'node:stream/web';
import { deflateSync, gzipSync } from 'node:zlib';
import { expect } from 'chai';
import type { ApiClient } from '../../support/api-client.ts';
import { expectError, expectInvalid } from '../../support/expect-error.ts';
import { ownerClient } from '../../support/owner-client.ts';
import { startService, type TestService } from '../../support/service.ts';

const valid = '{"name":"Menu","content":"https://example.com/menu"}';

/** A body with these bytes as the name. */
const named = (...bytes: number[]): Uint8Array<ArrayBuffer> =>
  Uint8Array.from([
    ...Buffer.from('{"content":"https://example.com/","name":"'),
    ...bytes,
    ...Buffer.from('"}'),
  ]);

describe('an invalid body (decisions: Bodies and errors)', () => {
  let service: TestService;
  let api: ApiClient;
  let codeId: string;

  before(async () => {
    service = await startService();
    api = ownerClient(service);
    codeId = (await api('/qrcodes', { method: 'POST', raw: valid })).body.id;
  });
  after(() => service.stop());

  const post = (raw: string | Uint8Array<ArrayBuffer>, headers: Record<string, string> = {}) =>
    api('/qrcodes', { method: 'POST', raw, headers });
  const patch = (raw: string | Uint8Array<ArrayBuffer>, headers: Record<string, string> = {}) =>
    api(`/qrcodes/${codeId}`, { method: 'PATCH', raw, headers });
  const senders = { POST: post, PATCH: patch };

  for (const [method, send] of Object.entries(senders)) {
    describe(method, () => {
      const notObjects: Record<string, string> = {
        'an empty array': '[]',
        'an array of objects': `[${valid}]`,
        'a number': '42',
        'a string': '"text"',
        null: 'null',
        true: 'true',
        truncated: valid.slice(0, -1),
        'two objects': valid + valid,
        'single quotes': "{'name':'Menu'}",
        'a comma too many': '{"name":"Menu",}',
        'a comment': '{"name":"Menu" /* why */}',
        NaN: '{"size":NaN}',
        'a bare line break in a string': '{"name":"a\nb"}',
        'no JSON at all': 'name=Menu',
        empty: '',
        'spaces only': ' \n ',
        'arrays, 8,000 levels deep': '['.repeat(8000) + ']'.repeat(8000),
        'arrays that never close': '['.repeat(8000),
      };
      for (const [what, raw] of Object.entries(notObjects)) {
        it(`is a 400 that names body: ${what}`, async () => expectInvalid(await send(raw), ['body']));
      }

      it('is a 400 that names the field: arrays and objects 8,000 levels deep', async () => {
        const arrays = `{"name":${'['.repeat(8000)}${']'.repeat(8000)},"content":"https://example.com/"}`;
        expectInvalid(await send(arrays), ['name']);
        const objects = `{"name":${'{"a":'.repeat(8000)}1${'}'.repeat(8000)},"content":"https://example.com/"}`;
        expectInvalid(await send(objects), ['name']);
      });

      it('is a 400 that names __proto__, and pollutes nothing', async () => {
        const raw = valid.replace('{', '{"__proto__":{"size":1024,"polluted":true},');
        expectInvalid(await send(raw), ['__proto__']);
        expect({}).to.not.have.property('polluted');
      });

      it('is a 400 that names __proto__ and every other invalid field', async () => {
        const raw = valid.replace('{', '{"__proto__":{},"size":1,');
        expectInvalid(await send(raw), ['__proto__', 'size']);
      });

      it('is a 400 that names the field in which a __proto__ is hidden', async () => {
        const raw = valid.replace('{', '{"category":{"__proto__":{"polluted":true}},');
        expectInvalid(await send(raw), ['category']);
      });

      it('is a 400 that names constructor', async () => {
        const raw = valid.replace('{', '{"constructor":{"prototype":{"polluted":true}},');
        expectInvalid(await send(raw), ['constructor']);
        expect({}).to.not.have.property('polluted');
      });

      it('accepts a name that only looks like a poisoned key', async () => {
        const raw = valid.replace('Menu', String.raw`\"__proto__\": {}`);
        expect((await send(raw)).body.name).to.equal('"__proto__": {}');
      });

      it('uses the last of two values for one key', async () => {
        const { status, body } = await send(valid.replace('{', '{"name":"First",'));
        expect(status).to.be.oneOf([200, 201]);
        expect(body.name).to.equal('Menu');
      });

      it('is a 413 at 1 MB, whether one field is long or many are sent', async () => {
        const long = JSON.stringify({ name: 'Menu', content: 'x'.repeat(1_000_000), type: 'text' });
        expectError(await send(long), 413, 'validation_error');
        const many = JSON.stringify(
          Object.fromEntries(Array.from({ length: 70_000 }, (_, index) => [`field${index}`, index])),
        );
        expectError(await send(many), 413, 'validation_error');
      });

      for (const type of [
        'text/plain',
        'application/x-www-form-urlencoded',
        'multipart/form-data; boundary=x',
        'application/xml',
        'application/jsonp',
        'text/json5',
        'nonsense',
        '',
      ]) {
        it(`is a 415 as Content-Type ${type || '(empty)'}`, async () => {
          expectError(await send(valid, { 'Content-Type': type }), 415, 'validation_error');
        });
      }

      for (const type of [
        'application/json; charset=utf-8',
        'Application/JSON',
        'application/json;charset=UTF-8',
      ]) {
        it(`is accepted as Content-Type ${type}`, async () => {
          expect((await send(valid, { 'Content-Type': type })).body.name).to.equal('Menu');
        });
      }

      it('is accepted or a 415, but never called empty, as another JSON type', async () => {
        for (const type of ['application/merge-patch+json', 'application/ld+json']) {
          const { status, body } = await send(valid, { 'Content-Type': type });
          expect(status, `${type}: ${JSON.stringify(body)}`).to.be.oneOf([200, 201, 415]);
        }
      });
    });
  }

  describe('Content-Encoding', () => {
    const gzip = { 'Content-Encoding': 'gzip' };

    it('is accepted when it is valid gzip', async () => {
      const { status, body } = await post(gzipSync(valid), gzip);
      expect(status).to.equal(201);
      expect(body).to.include({ name: 'Menu', content: 'https://example.com/menu' });
    });

    it('is accepted when it is valid deflate, and as identity', async () => {
      expect((await post(deflateSync(valid), { 'Content-Encoding': 'deflate' })).status).to.equal(201);
      expect((await post(valid, { 'Content-Encoding': 'identity' })).status).to.equal(201);
    });

    it('is case-insensitive', async () => {
      expect((await post(gzipSync(valid), { 'Content-Encoding': 'GZIP' })).status).to.equal(201);
    });

    it('is a 400 that names body when the gzip is invalid, corrupt or truncated', async () => {
      const packed = gzipSync(valid);
      const corrupt = Uint8Array.from(packed);
      corrupt.fill(0xff, 12, 24);
      for (const raw of [valid, corrupt, packed.subarray(0, -12)]) {
        expectInvalid(await post(raw, gzip), ['body']);
      }
    });

    it('is a 400 that names body when the decompressed body is not JSON', async () => {
      expectInvalid(await post(gzipSync('{'), gzip), ['body']);
      expectInvalid(await post(gzipSync(''), gzip), ['body']);
    });

    it('is a 413 for a small gzip that decompresses to 50 MB', async () => {
      const bomb = gzipSync(Buffer.alloc(50_000_000, ' '));
      expect(bomb.length).to.be.below(60_000);
      expectError(await post(bomb, gzip), 413, 'validation_error');
    });

    for (const encoding of ['compress', 'zstd', 'nonsense', 'gzip, gzip']) {
      it(`is a 415 when it is ${encoding}`, async () => {
        expectError(await post(valid, { 'Content-Encoding': encoding }), 415, 'validation_error');
      });
    }
  });

  describe('UTF-8', () => {
    const broken: Record<string, Uint8Array<ArrayBuffer>> = {
      'a byte that never occurs': named(0xff),
      'Latin-1': named(0x43, 0x61, 0x66, 0xe9),
      'an overlong form': named(0xc0, 0xaf),
      'a surrogate': named(0xed, 0xa0, 0x80),
      // Its replacement character also has three bytes.
      'three of four bytes': named(0xf0, 0x9f, 0x98),
      'a byte of the middle alone': named(0x80),
    };
    for (const [what, raw] of Object.entries(broken)) {
      it(`is a 400 that names body: ${what}`, async () => expectInvalid(await post(raw), ['body']));

      it(`is a 400 that names body, compressed with gzip: ${what}`, async () => {
        expectInvalid(await post(gzipSync(raw), { 'Content-Encoding': 'gzip' }), ['body']);
      });
    }

    it('accepts a replacement character that was sent as such', async () => {
      for (const { status, body } of [
        await post(named(0xef, 0xbf, 0xbd)),
        await post(gzipSync(named(0xef, 0xbf, 0xbd)), { 'Content-Encoding': 'gzip' }),
      ]) {
        expect(status).to.equal(201);
        expect(body.name).to.equal('\ufffd');
      }
    });
  });

  describe('sent in chunks, without a length', () => {
    let authorization: string;
    before(async () => {
      authorization = `Bearer ${await service.makeKey()}`;
    });

    async function postChunks(...chunks: Uint8Array[]): Promise<{ status: number; body: { error: string } }> {
      const response = await fetch(`${service.url}/api/v1/qrcodes`, {
        method: 'POST',
        headers: { Authorization: authorization, 'Content-Type': 'application/json' },
        body: ReadableStream.from(chunks),
        duplex: 'half',
      } as never);
      return { status: response.status, body: (await response.json()) as { error: string } };
    }

    it('is accepted', async () => {
      const bytes = Buffer.from(valid);
      expect((await postChunks(bytes.subarray(0, 9), bytes.subarray(9))).status).to.equal(201);
    });

    it('is a 413 past the limit', async () => {
      const { status, body } = await postChunks(Buffer.alloc(40_000, ' '), Buffer.alloc(40_000, ' '));
      expect(status).to.equal(413);
      expect(body.error).to.equal('validation_error');
    });

    it('is a 400 when it is not UTF-8', async () => {
      const { status, body } = await postChunks(named(0xff));
      expect(status).to.equal(400);
      expect(body.error).to.equal('validation_error');
    });
  });
});
