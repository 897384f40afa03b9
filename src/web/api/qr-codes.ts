import { Type } from '../../schema.ts';
import { changeCode, deleteCode, findCode, listCodes, newCode } from '../../codes/codes.ts';
import { keepDesign } from '../../codes/design/stored-design.ts';
import { expiringWithin } from '../../codes/expiring-codes.ts';
import { codeTypes } from '../../codes/content/content-types.ts';
import type { QrCode } from '../../codes/qr-code.ts';
import {
  createStyledCode,
  missedWarnings,
  plainWarning,
  proveDefaultStyle,
} from '../../codes/styles/default-style.ts';
import { codeWarnings } from '../../codes/scannability.ts';
import { shareUrl } from '../../codes/share-token.ts';
import { readScanCounts } from '../../scans/analytics.ts';
import type { Database } from '../../store/database.ts';
import { type ApiServices, operation } from './operation.ts';
import { endingChanges } from './ending-rules.ts';
import { codeEtag } from './preconditions.ts';
import { changesLook, proveChange } from '../../codes/proof/prove-design.ts';
import { changedCodeRules, newCodeRules } from './qr-code-rules.ts';
import {
  changedExample,
  createBody,
  createDefaults,
  createdExample,
  createdShape,
  notInCreate,
  notInPatch,
  patchBody,
  presentCode,
  presentCreated,
  readExample,
  readShape,
} from './qr-code-shapes.ts';
import {
  choice,
  cursor,
  maxLabelLength,
  pageOf,
  period,
  periodOf,
  periodRules,
  text,
  toPage,
} from './schema-parts.ts';

export const codeIdParams = Type.Object({ id: Type.String({ description: 'The `id` of the QR code.' }) });

const warningNote =
  'If phones may fail to read the code, a `Qrelay-Warning` header per reason says what to change.';

export const createQrCode = operation({
  id: 'createQrCode',
  method: 'post',
  path: '/qrcodes',
  tag: 'QR codes',
  summary: 'Create a publicly shared QR code',
  description:
    'Only `name` and `content` are required. The response contains the `shareUrl` to print, which anyone can open unless `isPublic` is false. The code gets your default style, if you have one and phones can read the code in it; else a `Qrelay-Warning` header says why not.',
  body: createBody,
  bodyExample: { name: 'Menu, summer', content: 'https://example.com/menu' },
  otherFields: notInCreate,
  success: {
    status: 201,
    description: `The QR code was created. ${warningNote}`,
    schema: createdShape,
    example: createdExample,
    location: '/qrcodes/{id}',
    optionalHeaders: ['Qrelay-Warning'],
  },
  isVersioned: true,
  async prepare({ ownerId, body, warn, etag }, { db, config, proofs, now }) {
    const { expiresAt, ...given } = await body(newCodeRules(db, config, now()));
    const created = newCode(
      ownerId,
      { ...createDefaults, ...given, ...(expiresAt !== undefined && { expiresAt: new Date(expiresAt) }) },
      config.qrCodeLifetimeDays,
      now(),
    );
    const style = await proveDefaultStyle({ db, proofs, config }, created, { mayRaise: false });
    return async (services) => {
      const { code, styleMissed } = await createStyledCode(services.db, created, style, config.limits);
      const warnings = codeWarnings(code, shareUrl(config.baseUrl, code.shareToken));
      if (style.refused) warnings.push(plainWarning(style.refused));
      if (styleMissed) warnings.push(missedWarnings[styleMissed]);
      warn(warnings);
      etag(codeEtag(presentCode(code, 0, config.baseUrl)));
      return presentCreated(code, config.baseUrl);
    };
  },
});

export const readQrCode = operation({
  id: 'readQrCode',
  method: 'get',
  path: '/qrcodes/{id}',
  tag: 'QR codes',
  summary: 'Read a QR code',
  description: 'Returns one of your QR codes, with its number of scans.',
  params: codeIdParams,
  success: { status: 200, description: 'The QR code.', schema: readShape, example: readExample },
  isVersioned: true,
  async handle({ ownerId, params, etag }, services) {
    const shown = await presentWithCount(await findCode(services.db, ownerId, params.id), services);
    etag(codeEtag(shown));
    return shown;
  },
});

export const listQrCodes = operation({
  id: 'listQrCodes',
  method: 'get',
  path: '/qrcodes',
  tag: 'QR codes',
  summary: 'List QR codes',
  description: 'Returns your QR codes one page at a time, newest first.',
  query: Type.Object({
    limit: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 100, default: 20, description: 'Number of codes on a page.' }),
    ),
    cursor: Type.Optional(
      cursor('The `nextCursor` of the previous page, which is the `id` of its last code.'),
    ),
    category: Type.Optional(text('Only codes with this category.', { maxLength: maxLabelLength })),
    type: Type.Optional(choice(codeTypes, 'Only codes of this type.')),
    favorite: Type.Optional(
      Type.Boolean({ description: 'true: only favorites. false: only codes that are not favorites.' }),
    ),
    expiringWithinDays: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 3650,
        description: 'Only codes that work now and stop working within this many days.',
      }),
    ),
    ...period('created'),
  }),
  queryRules: periodRules,
  success: {
    status: 200,
    description: 'One page of your QR codes.',
    schema: pageOf(readShape, 'One page of QR codes.'),
    example: { data: [readExample], nextCursor: null },
  },
  async handle({ ownerId, query }, services) {
    const { limit = 20, cursor: after, expiringWithinDays, category, type, favorite } = query;
    const { reads, config, now } = services;
    const filter = {
      category,
      type,
      favorite,
      ...periodOf(query),
      expiring: expiringWithin(expiringWithinDays, now()),
    };
    const { codes, counts } = await reads.codes(ownerId, async (db) => {
      const found = await listCodes(db, ownerId, filter, { limit, cursor: after });
      const ids = found.map(({ id }) => id);
      return { codes: found, counts: await readScanCounts(db, ids) };
    });
    return toPage(codes, limit, (code) => presentCode(code, counts.get(code.id) ?? 0, config.baseUrl));
  },
});

export const updateQrCode = operation({
  id: 'updateQrCode',
  method: 'patch',
  path: '/qrcodes/{id}',
  tag: 'QR codes',
  summary: 'Change a QR code',
  description:
    'Send only the fields that you want to change. `type` can only be changed together with `content`. `shareUrl` never changes, so printed codes keep working. If the code has a design, it is proven again with new colors or error correction, and the change is refused if phones could not read it. Scans see the change within 10 seconds.',
  params: codeIdParams,
  body: patchBody,
  bodyExample: { name: 'Menu, winter', isFavorite: true },
  otherFields: notInPatch,
  success: {
    status: 200,
    description: `The QR code after the change. ${warningNote}`,
    schema: readShape,
    example: changedExample,
    optionalHeaders: ['Qrelay-Warning'],
  },
  isVersioned: true,
  async prepare({ ownerId, params, body, warn, etag, requireMatch }, { db, config, proofs }) {
    // Invalid fields are reported below.
    const fields = await body().catch(() => ({}));
    const proven = await proveChange({ db, proofs, config }, ownerId, params.id, fields);
    return async (services) => {
      const changedAt = services.now();
      const change = (source: Database) =>
        changeCode(
          source,
          ownerId,
          params.id,
          async (code, transaction) => {
            const { expiresAt, ...given } = await body(changedCodeRules(transaction, code, config));
            requireMatch(codeEtag(presentCode(code, 0, config.baseUrl)));
            if (expiresAt === undefined) return given;
            return { ...given, ...endingChanges(code, { expiresAt }, config.qrCodeLifetimeDays, changedAt) };
          },
          changedAt,
        );
      const changeWithDesign = async (transaction: Database) => {
        const code = await change(transaction);
        await keepDesign(transaction, code, proven, changedAt);
        return code;
      };
      const changed = changesLook(fields)
        ? await services.db.transaction(changeWithDesign)
        : await change(services.db);
      services.codeChanged(changed.shareToken);
      warn(codeWarnings(changed, shareUrl(config.baseUrl, changed.shareToken)));
      const shown = await presentWithCount(changed, services);
      etag(codeEtag(shown));
      return shown;
    };
  },
});

export const deleteQrCode = operation({
  id: 'deleteQrCode',
  method: 'delete',
  path: '/qrcodes/{id}',
  tag: 'QR codes',
  summary: 'Delete a QR code',
  description: 'Permanently deletes the code and all its scans. Within 10 seconds its share URL answers 404.',
  params: codeIdParams,
  success: { status: 204, description: 'The QR code was deleted.' },
  isVersioned: true,
  async handle({ ownerId, params, requireMatch }, { db, config, codeChanged }) {
    const { shareToken } = await deleteCode(db, ownerId, params.id, (code) =>
      requireMatch(codeEtag(presentCode(code, 0, config.baseUrl))),
    );
    codeChanged(shareToken);
  },
});

async function presentWithCount(code: QrCode, { db, config }: ApiServices) {
  const counts = await readScanCounts(db, [code.id]);
  return presentCode(code, counts.get(code.id) ?? 0, config.baseUrl);
}
