import type { Static } from 'typebox';
import { findFileQuota } from '../../accounts/account-limits.ts';
import { findCode } from '../../codes/codes.ts';
import { fileAddress, maxFileBytes, mediaTypes } from '../../codes/files/upload.ts';
import {
  type CodeFile,
  deleteFile,
  findFile,
  requireRoom,
  saveFile,
  usedBytes,
} from '../../codes/files/stored-file.ts';
import type { QrCode } from '../../codes/qr-code.ts';
import { Type } from '../../schema.ts';
import { operation } from './operation.ts';
import { resourceEtag } from './preconditions.ts';
import { codeIdParams } from './qr-codes.ts';
import { readFile } from './read-upload.ts';
import { label, nullable, timestamp } from './schema-parts.ts';

const path = '/qrcodes/{id}/file';

export const fileShape = Type.Object(
  {
    name: nullable(Type.String({ description: 'Under which it is saved, with the extension of its type.' })),
    mediaType: nullable(Type.String({ description: 'What the file is, by its content.' })),
    bytes: nullable(Type.Integer({ description: 'Its size.' })),
    url: nullable(
      Type.String({ format: 'uri', description: 'Where it is served. Also the `content` of the code.' }),
    ),
    updatedAt: nullable(timestamp('When it was uploaded.')),
    usedBytes: Type.Integer({ description: 'The size of all files and photos of the account.' }),
    quotaBytes: Type.Integer({ description: 'How much the limits of the account allow.' }),
  },
  { description: 'The file that a scan of a QR code opens. Without one, the first five fields are null.' },
);

const example: Static<typeof fileShape> = {
  name: 'Menu, summer.pdf',
  mediaType: 'application/pdf',
  bytes: 482_113,
  url: 'https://qr.example.com/f/4fKq2ZxP9a/Menu-summer.pdf',
  updatedAt: '2026-11-01T09:30:00.000Z',
  usedBytes: 482_113,
  quotaBytes: 20_971_520,
};

type Shown = Static<typeof fileShape>;

function present(
  file: CodeFile | undefined,
  { shareToken }: QrCode,
  baseUrl: string,
): Omit<Shown, 'usedBytes' | 'quotaBytes'> {
  if (!file) return { name: null, mediaType: null, bytes: null, url: null, updatedAt: null };
  const { name, mediaType, bytes, updatedAt } = file;
  const url = fileAddress(baseUrl, shareToken, name);
  return { name, mediaType, bytes, url, updatedAt: updatedAt.toISOString() };
}

export const readQrCodeFile = operation({
  id: 'readQrCodeFile',
  method: 'get',
  path,
  tag: 'QR codes',
  summary: 'Read about the file of a QR code',
  description:
    'Returns what the file is and where it is served, and how much the files of the account may have together.',
  params: codeIdParams,
  success: { status: 200, description: 'The file, or nulls.', schema: fileShape, example },
  isVersioned: true,
  async handle({ ownerId, params, etag }, { db, config }) {
    const code = await findCode(db, ownerId, params.id);
    const shown = present(await findFile(db, code.id, 'file'), code, config.baseUrl);
    etag(resourceEtag(shown));
    return {
      ...shown,
      usedBytes: await usedBytes(db, ownerId),
      quotaBytes: await findFileQuota(db, ownerId, config.limits),
    };
  },
});

export const replaceQrCodeFile = operation({
  id: 'replaceQrCodeFile',
  method: 'put',
  path,
  tag: 'QR codes',
  summary: 'Set the file that a scan opens',
  description:
    'The body is the file: PDF, PNG, JPEG or WebP, up to 10 MB; images up to 25 megapixels. The code gets the type `url` and the address of the file as its `content`, so that a scan is counted and then opens it. A file that is there is replaced: the share URL and the address stay. What cameras add to images, such as the place, is removed. Setting another `content` deletes the file.',
  params: codeIdParams,
  query: Type.Object({
    name: Type.Optional(
      label('Under which it is saved. Without one, that of the file before, or the name of the code.'),
    ),
  }),
  fileTypes: [...mediaTypes],
  maxBodyBytes: maxFileBytes,
  success: { status: 200, description: 'The file was stored.', schema: fileShape, example },
  isVersioned: true,
  async handle(
    { ownerId, caller, params, query, file, mediaType, etag, requireMatch },
    { db, config, imageDecoder, now, codeChanged },
  ) {
    const code = await findCode(db, ownerId, params.id);
    const quotaBytes = await findFileQuota(db, ownerId, config.limits);
    const bytes = file();
    // Before the work: decided when it is saved.
    await requireRoom(
      db,
      { userId: ownerId, codeId: code.id },
      { kind: 'file', bytes: bytes.length },
      quotaBytes,
    );
    const name = query.name ?? (await findFile(db, code.id, 'file'))?.name ?? code.name;
    const upload = await readFile(imageDecoder, caller, { bytes, declared: mediaType, name });
    const content = fileAddress(config.baseUrl, code.shareToken, upload.name);
    const check = (current: CodeFile | undefined) =>
      requireMatch(resourceEtag(present(current, code, config.baseUrl)));
    const saved = await saveFile(db, code, upload, { quotaBytes, content, check, now: now() });
    codeChanged(code.shareToken);
    const shown = present(saved, code, config.baseUrl);
    etag(resourceEtag(shown));
    return { ...shown, usedBytes: await usedBytes(db, ownerId), quotaBytes };
  },
});

export const deleteQrCodeFile = operation({
  id: 'deleteQrCodeFile',
  method: 'delete',
  path,
  tag: 'QR codes',
  summary: 'Delete the file of a QR code',
  description:
    'The `content` of the code stays the address of the file, which shows people a page that says that it was removed, with the status 410, until another one is set. A `Qrelay-Warning` header says so. To lead elsewhere, set another `content` instead, which deletes the file as well.',
  params: codeIdParams,
  success: { status: 204, description: 'The code has no file.', optionalHeaders: ['Qrelay-Warning'] },
  isVersioned: true,
  async handle({ ownerId, params, warn, requireMatch }, { db, config, codeChanged }) {
    const code = await findCode(db, ownerId, params.id);
    const isDeleted = await deleteFile(db, code.id, 'file', (current) =>
      requireMatch(resourceEtag(present(current, code, config.baseUrl))),
    );
    if (!isDeleted) return;
    codeChanged(code.shareToken);
    warn([
      'Scans now show a page that says that the file was removed. Upload another one or set another content.',
    ]);
  },
});
