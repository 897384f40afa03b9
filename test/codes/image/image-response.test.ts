import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { drawPng, drawSvg } from '../../../src/codes/image/draw.ts';
import { type Images, openImages } from '../../../src/codes/image/image-thread.ts';
import { createImageSender, type ImageCode } from '../../../src/redirect/images.ts';
import { testLog } from '../../support/test-log.ts';

const log = testLog();
const baseUrl = 'https://qr.test';
const token = 'abcdefghij';
const plain: ImageCode = {
  content: 'Grüße aus Köln',
  errorCorrection: 'M',
  size: 512,
  foregroundColor: '#1a1410',
  backgroundColor: '#ffffff',
};

describe('The response with an image (decisions: Image)', () => {
  let images: Images;
  let drawing: Images;
  let code = plain;
  let server: Server;
  let url: string;

  before(async () => {
    images = await openImages(log);
    const behind: Images = {
      draw: (...of) => drawing.draw(...of),
      findUndrawable: (...of) => drawing.findUndrawable(...of),
      close: () => drawing.close(),
    };
    const answer = createImageSender({ images: behind, clientOf: () => 'a client', baseUrl, log });
    server = createServer((req, res) => {
      const [path = '', query = ''] = (req.url ?? '').split('?');
      void answer(req, res, token, path.endsWith('.svg') ? 'svg' : 'png', code, query);
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/r/${token}`;
  });
  beforeEach(() => {
    code = plain;
    drawing = images;
  });
  after(async () => {
    server.close();
    server.closeAllConnections();
    await images.close();
  });

  const { content, ...look } = plain;
  const shared = { ...look, text: `${baseUrl}/r/${token}` };

  it('is an SVG or a PNG of the share link, with the headers for browsers and caches', async () => {
    for (const [format, type, body] of [
      ['svg', 'image/svg+xml; charset=utf-8', Buffer.from(drawSvg(shared))],
      ['png', 'image/png', drawPng(shared)],
    ] as const) {
      const answer = await fetch(`${url}.${format}`);
      expect(answer.status).to.equal(200);
      expect(Buffer.from(await answer.arrayBuffer()).equals(body)).to.equal(true);
      expect(Object.fromEntries(answer.headers)).to.include({
        'content-type': type,
        'content-length': String(body.length),
        'cache-control': 'public, max-age=300',
        'content-disposition': `inline; filename="qr-${token}.${format}"`,
        'x-content-type-options': 'nosniff',
        'content-security-policy': "default-src 'none'",
        'access-control-allow-origin': '*',
      });
      expect(answer.headers.get('etag')).to.match(/^"[\w-]+"$/);
      expect(answer.headers.has('qrelay-warning')).to.equal(false);
    }
  });

  it('encodes the content with encode=content', async () => {
    const answer = await fetch(`${url}.png?encode=content`);
    const drawn = drawPng({ ...look, text: content });
    expect(Buffer.from(await answer.arrayBuffer()).equals(drawn)).to.equal(true);
    expect(answer.headers.get('etag')).to.not.equal((await fetch(`${url}.png`)).headers.get('etag'));
  });

  for (const query of ['encode=', 'encode', 'encode=share', 'encode=Content', 'encode=content&encode=x']) {
    it(`is 400 with a message for ?${query}`, async () => {
      const answer = await fetch(`${url}.png?${query}`);
      expect(answer.status).to.equal(400);
      expect(answer.headers.get('content-type')).to.equal('text/plain; charset=utf-8');
      expect(answer.headers.get('cache-control')).to.equal('no-store');
      expect(await answer.text()).to.equal('encode must be content, or be omitted for the share link.\n');
    });
  }

  it('ignores other parameters', async () => {
    expect((await fetch(`${url}.png?utm_source=poster&v=2`)).status).to.equal(200);
  });

  it('is an attachment with ?download', async () => {
    for (const query of ['download', 'download=1', 'encode=content&download']) {
      const { headers } = await fetch(`${url}.svg?${query}`);
      expect(headers.get('content-disposition')).to.equal(`attachment; filename="qr-${token}.svg"`);
    }
  });

  it('has no body for HEAD, and the headers of GET', async () => {
    const get = await fetch(`${url}.png`);
    const head = await fetch(`${url}.png`, { method: 'HEAD' });
    expect(head.status).to.equal(200);
    expect((await head.arrayBuffer()).byteLength).to.equal(0);
    for (const name of ['content-length', 'etag', 'content-type', 'cache-control']) {
      expect(head.headers.get(name)).to.equal(get.headers.get(name));
    }
  });

  it('is 304 for a matching ETag: alone, in a list, weak or as an asterisk; for GET and HEAD', async () => {
    const etag = (await fetch(`${url}.png`)).headers.get('etag') ?? '';
    for (const known of [etag, `"other", ${etag}`, `W/${etag}`, `"a",W/${etag} ,"b"`, '*']) {
      for (const method of ['GET', 'HEAD']) {
        const answer = await fetch(`${url}.png`, { method, headers: { 'If-None-Match': known } });
        expect(answer.status, known).to.equal(304);
        expect(answer.headers.get('etag')).to.equal(etag);
        expect(answer.headers.get('cache-control')).to.equal('public, max-age=300');
        expect(await answer.text()).to.equal('');
      }
    }
  });

  it('is sent for another ETag: of the other format, or from before a change', async () => {
    const etag = (await fetch(`${url}.png`)).headers.get('etag') ?? '';
    const known = { headers: { 'If-None-Match': etag } };
    expect((await fetch(`${url}.svg`, known)).status).to.equal(200);
    code = { ...plain, size: 513 };
    expect((await fetch(`${url}.png`, known)).status).to.equal(200);
    expect((await fetch(`${url}.png`, { headers: { 'If-None-Match': etag.slice(1) } })).status).to.equal(200);
  });

  it('responds with 304 without drawing', async () => {
    const etag = (await fetch(`${url}.png`)).headers.get('etag') ?? '';
    drawing = { ...images, draw: () => Promise.reject(new Error('must not draw')) };
    const answer = await fetch(`${url}.png`, { headers: { 'If-None-Match': etag } });
    expect(answer.status).to.equal(304);
  });

  it('is 503 and not cached if drawing fails', async () => {
    drawing = { ...images, draw: () => Promise.reject(new Error('Too many')) };
    const answer = await fetch(`${url}.png`);
    expect(answer.status).to.equal(503);
    expect(answer.headers.get('retry-after')).to.match(/^[1-9]\d*$/);
    expect(answer.headers.get('cache-control')).to.equal('no-store');
    expect(answer.headers.has('etag')).to.equal(false);
    expect(await answer.text()).to.match(/^The image cannot be drawn/);
  });

  it('warns only about the image that is drawn', async () => {
    code = { ...plain, size: 128, content: 'x'.repeat(500) };
    expect((await fetch(`${url}.png`)).headers.has('qrelay-warning')).to.equal(false);
    const direct = await fetch(`${url}.png?encode=content`);
    expect(direct.headers.get('qrelay-warning')).to.match(/^A picture of 128 pixels .* at least \d+ pixels/);
    code = { ...plain, foregroundColor: '#eeeeee' };
    expect((await fetch(`${url}.svg`)).headers.get('qrelay-warning')).to.include('#eeeeee and #ffffff');
  });
});
