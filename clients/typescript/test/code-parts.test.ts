import assert from 'node:assert/strict';
import { test } from 'node:test';
import { connect, serviceUrl, square } from './service.ts';

const { codes } = connect();
const content = 'https://example.com/';

test('sets a design that is proven, reads it, refuses one that does not read, and deletes it', async () => {
  const { id } = await codes.create({ name: 'Menu', content });
  const design = await codes.setDesign(id, { moduleShape: 'rounded', frame: 'band', frameText: 'Scan me' });
  assert.match(design.proof ?? '', /^Reads at \d+ mm/);
  const { moduleShape, frameText } = await codes.readDesign(id);
  assert.deepEqual([moduleShape, frameText], ['rounded', 'Scan me']);
  await assert.rejects(codes.setDesign(id, { eyeBallColor: '#ffffff' }), { status: 400 });
  await codes.deleteDesign(id);
  assert.equal((await codes.readDesign(id)).moduleShape, 'square');
  await codes.delete(id);
});

test('sets a logo, says why a file is none, and deletes it', async () => {
  const { id } = await codes.create({ name: 'Menu', content });
  const design = await codes.setLogo(id, square);
  assert.equal(typeof design.logo, 'string');
  await assert.rejects(codes.setLogo(id, new Blob(['no picture'], { type: 'image/png' })), { status: 400 });
  await codes.deleteLogo(id);
  assert.equal((await codes.readDesign(id)).logo, null);
  await codes.delete(id);
});

test('changes how a code ends, and returns to the default', async () => {
  const { id } = await codes.create({ name: 'Sale', content });
  const { isRenewedByScans } = await codes.readEnding(id);
  const expiresAt = '2099-12-31T23:00:00.000Z';
  const afterExpiryUrl = 'https://example.com/closed';
  assert.deepEqual(await codes.updateEnding(id, { expiresAt, afterExpiryUrl }), {
    expiresAt,
    isRenewedByScans: false,
    afterExpiryUrl,
  });
  assert.equal((await codes.read(id)).expiresAt, expiresAt);
  const restored = await codes.updateEnding(id, { expiresAt: null });
  assert.deepEqual([isRenewedByScans, restored.isRenewedByScans], [true, true]);
  await codes.delete(id);
});

test('changes how the share page looks, and sets its logo', async () => {
  const { id } = await codes.create({ name: 'internal name', type: 'text', content: 'Hello' });
  const page = await codes.updatePage(id, { title: 'Café Linden', color: '#206040' });
  assert.deepEqual(page, { title: 'Café Linden', text: null, color: '#206040', showsName: true });
  assert.deepEqual(await codes.readPage(id), page);
  const logo = await codes.setPageLogo(id, square, { alt: 'Café Linden' });
  assert.equal(logo.alt, 'Café Linden');
  assert.deepEqual(await codes.readPageLogo(id), logo);
  await codes.deletePageLogo(id);
  assert.equal((await codes.readPageLogo(id)).logo, null);
  await codes.delete(id);
});

test('uploads a file that scans open, replaces it and deletes it', async () => {
  const pdf = (text: string) => `%PDF-1.4\n% ${text}\nstartxref\n0\n%%EOF\n`;
  const { id, shareUrl } = await codes.create({ name: 'Menu', content });
  const first = await codes.setFile(id, new File([pdf('one')], 'Menü.pdf', { type: 'application/pdf' }));
  assert.deepEqual([first.name, first.mediaType], ['Menü.pdf', 'application/pdf']);
  assert.equal((await codes.read(id)).content, first.url);
  const second = await codes.setFile(id, new Blob([pdf('another')]));
  assert.deepEqual([second.name, second.url], [first.name, first.url]);
  assert.equal((await codes.readFile(id)).bytes, second.bytes);
  const path = new URL(second.url ?? '').pathname;
  const served = await fetch(`${serviceUrl}${path}`);
  assert.equal(await served.text(), pdf('another'));
  await codes.deleteFile(id);
  assert.equal((await codes.readFile(id)).name, null);
  assert.equal((await codes.read(id)).shareUrl, shareUrl);
  await codes.delete(id);
});

test('sets the photo of a contact, and deletes it', async () => {
  const card = 'BEGIN:VCARD\nVERSION:3.0\nFN:Ann\nEND:VCARD';
  const { id } = await codes.create({ name: 'Ann', type: 'vcard', content: card });
  const png = Buffer.from(
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGNgYGAAAAAEAAH2FzhVAAAAAElFTkSuQmCC',
    'base64',
  );
  const photo = await codes.setPhoto(id, new Blob([png], { type: 'image/png' }));
  assert.ok((photo.bytes ?? 0) > 100);
  assert.deepEqual(await codes.readPhoto(id), photo);
  await codes.deletePhoto(id);
  assert.equal((await codes.readPhoto(id)).url, null);
  await codes.delete(id);
});
