import type { Static } from 'typebox';
import { findFileQuota } from '../../accounts/account-limits.ts';
import { findCode } from '../../codes/codes.ts';
import { fileAddress, maxFileBytes, mediaTypes } from '../../codes/files/upload.ts';
import {
  type CodeFile,
  deleteFile,
  findFile,
  noContact,
  requireRoom,
  saveFile,
  usedBytes,
} from '../../codes/files/stored-file.ts';
import { readFile, readPhoto } from '../../codes/files/read-upload.ts';
import type { QrCode } from '../../codes/qr-code.ts';
import { Type, label, nullable, timestamp } from '../../schema.ts';
import { operation } from './operation.ts';

const filePath = '/qrcodes/{id}/file';

export const fileShape = Type.Object(
  {
    name: nullable(Type.String({ description: 'Under which it is saved, with the extension of its type.' })),
    mediaType: nullable(Type.String({ description: 'What the file is, by its content.' })),
    bytes: nullable(Type.Integer({ description: 'Its size.' })),
    url: nullable(
      Type.String({ format: 'uri', description: 'Where it is served. Also the `content` of the code.' }),
    ),
    updatedAt: nullable(timestamp('When it was uploaded.')),
    usedBytes: Type.Integer({ description: 'The size of all files and photos of the workspace.' }),
    quotaBytes: Type.Integer({ description: 'How much the limits of the workspace allow.' }),
  },
  { description: 'The file that a scan of a QR code opens. Without one, the first five fields are null.' },
);

const fileExample: Static<typeof fileShape> = {
  name: 'Menu, summer.pdf',
  mediaType: 'application/pdf',
  bytes: 482_113,
  url: 'https://qr.example.com/f/4fKq2ZxP9a/Menu-summer.pdf',
  updatedAt: '2026-11-01T09:30:00.000Z',
  usedBytes: 482_113,
  quotaBytes: 20_971_520,
};

type ShownFile = Static<typeof fileShape>;

function presentFile(
  file: CodeFile | undefined,
  { shareToken }: QrCode,
  baseUrl: string,
): Omit<ShownFile, 'usedBytes' | 'quotaBytes'> {
  if (!file) return { name: null, mediaType: null, bytes: null, url: null, updatedAt: null };
  const { name, mediaType, bytes, updatedAt } = file;
  const url = fileAddress(baseUrl, shareToken, name);
  return { name, mediaType, bytes, url, updatedAt: updatedAt.toISOString() };
}

const photoPath = '/qrcodes/{id}/photo';

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

const photoExample: Static<typeof photoShape> = {
  bytes: 14_310,
  url: 'https://qr.example.com/f/4fKq2ZxP9a/photo.jpg',
  updatedAt: '2026-11-01T09:30:00.000Z',
};

type ShownPhoto = Static<typeof photoShape>;

function presentPhoto(photo: CodeFile | undefined, { shareToken }: QrCode, baseUrl: string): ShownPhoto {
  if (!photo) return { bytes: null, url: null, updatedAt: null };
  const { bytes, updatedAt } = photo;
  return { bytes, url: `${baseUrl}/f/${shareToken}/photo.jpg`, updatedAt: updatedAt.toISOString() };
}

export const fileOperations = [
  operation({
    id: 'readQrCodeFile',
    method: 'get',
    path: filePath,
    scope: 'read',
    summary: 'Read about the file of a QR code',
    description:
      'Returns what the file is and where it is served, and how much the files of the workspace may have together.',
    success: { status: 200, description: 'The file, or nulls.', schema: fileShape, example: fileExample },
    isVersioned: true,
    async handle({ workspaceId, id, versioned }, { db, config }) {
      const code = await findCode(db, workspaceId, id);
      const shown = presentFile(await findFile(db, code.id, 'file'), code, config.baseUrl);
      return {
        ...versioned(shown),
        usedBytes: await usedBytes(db, workspaceId),
        quotaBytes: await findFileQuota(db, workspaceId, config.limits),
      };
    },
  }),

  operation({
    id: 'replaceQrCodeFile',
    method: 'put',
    path: filePath,
    scope: 'codes',
    summary: 'Set the file that a scan opens',
    description:
      'The body is the file: PDF, PNG, JPEG or WebP, up to 10 MB; images up to 25 megapixels. The code gets the type `url` and the address of the file as its `content`, so that a scan is counted and then opens it. A file that is there is replaced: the share URL and the address stay. What cameras add to images, such as the place, is removed. Setting another `content` deletes the file.',
    query: Type.Object({
      name: Type.Optional(
        label('Under which it is saved. Without one, that of the file before, or the name of the code.'),
      ),
    }),
    fileTypes: [...mediaTypes],
    maxBodyBytes: maxFileBytes,
    success: { status: 200, description: 'The file was stored.', schema: fileShape, example: fileExample },
    isVersioned: true,
    async handle(
      { workspaceId, caller, id, query, file, mediaType, versioned, requireMatch },
      { db, config, imageDecoder, now, codeChanged },
    ) {
      const code = await findCode(db, workspaceId, id);
      const quotaBytes = await findFileQuota(db, workspaceId, config.limits);
      const bytes = file();
      // Before the work: decided when it is saved.
      await requireRoom(
        db,
        { workspaceId, codeId: code.id },
        { kind: 'file', bytes: bytes.length },
        quotaBytes,
      );
      const name = query.name ?? (await findFile(db, code.id, 'file'))?.name ?? code.name;
      const upload = await readFile(imageDecoder, caller, { bytes, declared: mediaType, name });
      const content = fileAddress(config.baseUrl, code.shareToken, upload.name);
      const check = (current: CodeFile | undefined) =>
        requireMatch(presentFile(current, code, config.baseUrl));
      const saved = await saveFile(db, code, upload, { quotaBytes, content, check, now: now() });
      codeChanged(code.shareToken);
      const shown = presentFile(saved, code, config.baseUrl);
      return { ...versioned(shown), usedBytes: await usedBytes(db, workspaceId), quotaBytes };
    },
  }),

  operation({
    id: 'deleteQrCodeFile',
    method: 'delete',
    path: filePath,
    scope: 'codes',
    summary: 'Delete the file of a QR code',
    description:
      'The `content` of the code stays the address of the file, which shows people a page that says that it was removed, with the status 410, until another one is set. A `Qrelay-Warning` header says so. To lead elsewhere, set another `content` instead, which deletes the file as well.',
    success: { status: 204, description: 'The code has no file.', optionalHeaders: ['Qrelay-Warning'] },
    isVersioned: true,
    async handle({ workspaceId, id, warn, requireMatch }, { db, config, codeChanged }) {
      const code = await findCode(db, workspaceId, id);
      const isDeleted = await deleteFile(db, code, 'file', (current) =>
        requireMatch(presentFile(current, code, config.baseUrl)),
      );
      if (!isDeleted) return;
      codeChanged(code.shareToken);
      warn([
        'Scans now show a page that says that the file was removed. Upload another one or set another content.',
      ]);
    },
  }),

  operation({
    id: 'readQrCodePhoto',
    method: 'get',
    path: photoPath,
    scope: 'read',
    summary: 'Read about the photo of a contact',
    description: 'Returns where the photo is served.',
    success: { status: 200, description: 'The photo, or nulls.', schema: photoShape, example: photoExample },
    isVersioned: true,
    async handle({ workspaceId, id, versioned }, { db, config }) {
      const code = await findCode(db, workspaceId, id);
      const shown = presentPhoto(await findFile(db, code.id, 'photo'), code, config.baseUrl);
      return versioned(shown);
    },
  }),

  operation({
    id: 'replaceQrCodePhoto',
    method: 'put',
    path: photoPath,
    scope: 'codes',
    summary: 'Set the photo of a contact',
    description:
      'For codes of type `vcard`. The body is the file: PNG, JPEG or WebP, up to 10 MB and 25 megapixels. Its middle is stored as JPEG of 256 × 256 pixels, shown on the share page, and part of the contact that people save. It is not part of the picture of the code, which would be too small for it. Another type of the code deletes the photo.',
    fileTypes: ['image/png', 'image/jpeg', 'image/webp'],
    maxBodyBytes: maxFileBytes,
    success: { status: 200, description: 'The photo was stored.', schema: photoShape, example: photoExample },
    isVersioned: true,
    async handle(
      { workspaceId, caller, id, file, mediaType, versioned, requireMatch },
      { db, config, imageDecoder, now, codeChanged },
    ) {
      const code = await findCode(db, workspaceId, id);
      if (code.type !== 'vcard') throw noContact();
      const quotaBytes = await findFileQuota(db, workspaceId, config.limits);
      const photo = await readPhoto(imageDecoder, caller, { bytes: file(), declared: mediaType, name: '' });
      const check = (current: CodeFile | undefined) =>
        requireMatch(presentPhoto(current, code, config.baseUrl));
      const saved = await saveFile(db, code, photo, { quotaBytes, check, now: now() });
      codeChanged(code.shareToken);
      const shown = presentPhoto(saved, code, config.baseUrl);
      return versioned(shown);
    },
  }),

  operation({
    id: 'deleteQrCodePhoto',
    method: 'delete',
    path: photoPath,
    scope: 'codes',
    summary: 'Delete the photo of a contact',
    description: 'The share page and the contact that people save are without it within 10 seconds.',
    success: { status: 204, description: 'The code has no photo.' },
    isVersioned: true,
    async handle({ workspaceId, id, requireMatch }, { db, config, codeChanged }) {
      const code = await findCode(db, workspaceId, id);
      await deleteFile(db, code, 'photo', (current) =>
        requireMatch(presentPhoto(current, code, config.baseUrl)),
      );
      codeChanged(code.shareToken);
    },
  }),
];
