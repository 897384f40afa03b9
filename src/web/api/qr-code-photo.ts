import type { Static } from 'typebox';
import { findFileQuota } from '../../accounts/account-limits.ts';
import { findCode } from '../../codes/codes.ts';
import { maxFileBytes } from '../../codes/files/upload.ts';
import { type CodeFile, deleteFile, findFile, noContact, saveFile } from '../../codes/files/stored-file.ts';
import type { QrCode } from '../../codes/qr-code.ts';
import { Type } from '../../schema.ts';
import { operation } from './operation.ts';
import { resourceEtag } from './preconditions.ts';
import { codeIdParams } from './qr-codes.ts';
import { readPhoto } from './read-upload.ts';
import { nullable, timestamp } from './schema-parts.ts';

const path = '/qrcodes/{id}/photo';

export const photoShape = Type.Object(
  {
    bytes: nullable(Type.Integer({ description: 'Its size.' })),
    url: nullable(
      Type.String({ format: 'uri', description: 'Where it is served, as JPEG of 256 × 256 pixels.' }),
    ),
    updatedAt: nullable(timestamp('When it was uploaded.')),
  },
  { description: 'The photo of a contact. Without one, all fields are null.' },
);

const example: Static<typeof photoShape> = {
  bytes: 14_310,
  url: 'https://qr.example.com/f/4fKq2ZxP9a/photo.jpg',
  updatedAt: '2026-11-01T09:30:00.000Z',
};

type Shown = Static<typeof photoShape>;

function present(photo: CodeFile | undefined, { shareToken }: QrCode, baseUrl: string): Shown {
  if (!photo) return { bytes: null, url: null, updatedAt: null };
  const { bytes, updatedAt } = photo;
  return { bytes, url: `${baseUrl}/f/${shareToken}/photo.jpg`, updatedAt: updatedAt.toISOString() };
}

export const readQrCodePhoto = operation({
  id: 'readQrCodePhoto',
  method: 'get',
  path,
  tag: 'QR codes',
  summary: 'Read about the photo of a contact',
  description: 'Returns where the photo is served.',
  params: codeIdParams,
  success: { status: 200, description: 'The photo, or nulls.', schema: photoShape, example },
  isVersioned: true,
  async handle({ ownerId, params, etag }, { db, config }) {
    const code = await findCode(db, ownerId, params.id);
    const shown = present(await findFile(db, code.id, 'photo'), code, config.baseUrl);
    etag(resourceEtag(shown));
    return shown;
  },
});

export const replaceQrCodePhoto = operation({
  id: 'replaceQrCodePhoto',
  method: 'put',
  path,
  tag: 'QR codes',
  summary: 'Set the photo of a contact',
  description:
    'For codes of type `vcard`. The body is the file: PNG, JPEG or WebP, up to 10 MB and 25 megapixels. Its middle is stored as JPEG of 256 × 256 pixels, shown on the share page, and part of the contact that people save. It is not part of the picture of the code, which would be too small for it. Another type of the code deletes the photo.',
  params: codeIdParams,
  fileTypes: ['image/png', 'image/jpeg', 'image/webp'],
  maxBodyBytes: maxFileBytes,
  success: { status: 200, description: 'The photo was stored.', schema: photoShape, example },
  isVersioned: true,
  async handle(
    { ownerId, caller, params, file, mediaType, etag, requireMatch },
    { db, config, imageDecoder, now, codeChanged },
  ) {
    const code = await findCode(db, ownerId, params.id);
    if (code.type !== 'vcard') throw noContact();
    const quotaBytes = await findFileQuota(db, ownerId, config.limits);
    const photo = await readPhoto(imageDecoder, caller, { bytes: file(), declared: mediaType, name: '' });
    const check = (current: CodeFile | undefined) =>
      requireMatch(resourceEtag(present(current, code, config.baseUrl)));
    const saved = await saveFile(db, code, photo, { quotaBytes, check, now: now() });
    codeChanged(code.shareToken);
    const shown = present(saved, code, config.baseUrl);
    etag(resourceEtag(shown));
    return shown;
  },
});

export const deleteQrCodePhoto = operation({
  id: 'deleteQrCodePhoto',
  method: 'delete',
  path,
  tag: 'QR codes',
  summary: 'Delete the photo of a contact',
  description: 'The share page and the contact that people save are without it within 10 seconds.',
  params: codeIdParams,
  success: { status: 204, description: 'The code has no photo.' },
  isVersioned: true,
  async handle({ ownerId, params, requireMatch }, { db, config, codeChanged }) {
    const code = await findCode(db, ownerId, params.id);
    await deleteFile(db, code.id, 'photo', (current) =>
      requireMatch(resourceEtag(present(current, code, config.baseUrl))),
    );
    codeChanged(code.shareToken);
  },
});
