import assert from 'node:assert/strict';
import { test } from 'node:test';
import { breakBody, connect, unreliable } from './service.ts';

const { codes } = connect();
const content = 'https://example.com/';

test('downloads labels and files byte by byte, again if the connection breaks', async () => {
  const { id } = await codes.create({ name: 'Table 1', content });
  const pdf = Buffer.from(await codes.labels({ qrCodeIds: [id], sheet: 'L7160' }));
  assert.equal(pdf.subarray(0, 5).toString(), '%PDF-');
  assert.equal(pdf.toString('latin1').trimEnd().slice(-5), '%%EOF');
  const { fetch, sent } = unreliable(breakBody);
  const zip = Buffer.from(await connect({ fetch }).codes.files({ qrCodeIds: [id], format: 'png' }));
  assert.equal(sent.length, 2);
  assert.equal(zip.subarray(0, 4).toString('latin1'), 'PK\x03\x04');
  const png = zip.indexOf(Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]));
  assert.ok(png > 0, 'a picture whose bytes were not changed');
  await codes.delete(id);
});
