import { Type } from 'typebox';
import { createCode, deleteCode, findCode, listCodes, updateCode } from '../../codes/codes.ts';
import { codeTypes, type QrCode } from '../../codes/qr-code.ts';
import { codeWarnings } from '../../codes/scannability.ts';
import { shareUrl } from '../../codes/share-token.ts';
import { readScanCounts } from '../../scans/analytics.ts';
import { type ApiServices, operation } from './operation.ts';
import { changedCodeRules, newCodeRules, toChanges } from './qr-code-rules.ts';
import {
  changedExample,
  createBody,
  createDefaults,
  createdExample,
  createdShape,
  patchBody,
  presentCode,
  presentCreated,
  readExample,
  readShape,
} from './qr-code-shapes.ts';
import { closed, cursor, label, pageOf, toPage } from './schema-parts.ts';

export const codeIdParams = Type.Object({ id: Type.String({ description: 'The QR code identifier.' }) });

const warningNote =
  'Where scanners may not be able to read its picture, each reason is in a header `Qrelay-Warning`, a sentence that says what to change.';

export const createQrCode = operation({
  id: 'createQrCode',
  method: 'post',
  path: '/qrcodes',
  summary: 'Create a publicly shared QR code',
  description: 'The answer has the share address to print. Fields that are left out get their defaults.',
  body: createBody,
  bodyExample: { name: 'Menu, summer', content: 'https://example.com/menu' },
  success: {
    status: 201,
    description: `The QR code. ${warningNote}`,
    schema: createdShape,
    example: createdExample,
    optionalHeaders: ['Qrelay-Warning'],
  },
  async handle({ ownerId, body, warn }, { db, config, now }) {
    const given = await body(newCodeRules(db, config));
    const code = await createCode(
      db,
      ownerId,
      { ...createDefaults, ...given },
      config.qrCodeLifetimeDays,
      now(),
    );
    warn(codeWarnings(code, shareUrl(config.baseUrl, code.shareToken)));
    return presentCreated(code, config.baseUrl);
  },
});

export const readQrCode = operation({
  id: 'readQrCode',
  method: 'get',
  path: '/qrcodes/{id}',
  summary: 'Read a QR code',
  description: 'With its number of scans.',
  params: codeIdParams,
  success: { status: 200, description: 'The QR code.', schema: readShape, example: readExample },
  async handle({ ownerId, params }, services) {
    return presentWithCount(await findCode(services.db, ownerId, params.id), services);
  },
});

export const listQrCodes = operation({
  id: 'listQrCodes',
  method: 'get',
  path: '/qrcodes',
  summary: 'List QR codes',
  description: 'Newest first.',
  query: Type.Object(
    {
      limit: Type.Optional(
        Type.Integer({ minimum: 1, maximum: 100, default: 20, description: 'Codes a page.' }),
      ),
      cursor: Type.Optional(cursor('Identifier of the last code of the previous page.')),
      category: Type.Optional(label('Only codes with this label.')),
      type: Type.Optional(Type.Enum([...codeTypes], { description: 'Only codes of this type.' })),
      favorite: Type.Optional(Type.Boolean({ description: 'Only favourites, or only the others.' })),
    },
    closed,
  ),
  success: {
    status: 200,
    description: 'A page of QR codes.',
    schema: pageOf(readShape, 'A page of QR codes.'),
    example: { data: [readExample], nextCursor: null },
  },
  async handle({ ownerId, query: { limit = 20, cursor: after, ...filter } }, { db, config }) {
    const codes = await listCodes(db, ownerId, filter, { limit, cursor: after });
    const counts = await readScanCounts(
      db,
      codes.map((code) => code.id),
    );
    return toPage(codes, limit, (code) => presentCode(code, counts.get(code.id) ?? 0, config.baseUrl));
  },
});

export const updateQrCode = operation({
  id: 'updateQrCode',
  method: 'patch',
  path: '/qrcodes/{id}',
  summary: 'Change a QR code',
  description:
    'The type and the share address never change. The change is seen at the share address within 10 seconds, everywhere.',
  params: codeIdParams,
  body: patchBody,
  bodyExample: { name: 'Menu, winter', isFavorite: true },
  success: {
    status: 200,
    description: `The QR code as it is now. ${warningNote}`,
    schema: readShape,
    example: changedExample,
    optionalHeaders: ['Qrelay-Warning'],
  },
  async handle({ ownerId, params, body, warn }, services) {
    const { db, config, now } = services;
    const code = await findCode(db, ownerId, params.id);
    const changes = toChanges(await body(changedCodeRules(db, code, config)));
    const changed = await updateCode(db, code, changes, now());
    services.codeChanged(changed.shareToken);
    warn(codeWarnings(changed, shareUrl(config.baseUrl, changed.shareToken)));
    return presentWithCount(changed, services);
  },
});

export const deleteQrCode = operation({
  id: 'deleteQrCode',
  method: 'delete',
  path: '/qrcodes/{id}',
  summary: 'Delete a QR code',
  description:
    'The code, its scans and its counters are gone, and within 10 seconds its share address answers 404 everywhere.',
  params: codeIdParams,
  success: { status: 204, description: 'It is gone.' },
  async handle({ ownerId, params }, { db, codeChanged }) {
    const { shareToken } = await deleteCode(db, ownerId, params.id);
    codeChanged(shareToken);
  },
});

async function presentWithCount(code: QrCode, { db, config }: ApiServices) {
  const counts = await readScanCounts(db, [code.id]);
  return presentCode(code, counts.get(code.id) ?? 0, config.baseUrl);
}
