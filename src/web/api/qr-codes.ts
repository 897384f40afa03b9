import type { Static } from 'typebox';
import {
  changedCodeRules,
  codeFields,
  createBody,
  createDefaults,
  endingChanges,
  newCodeRules,
  patchBody,
} from '../../codes/code-rules.ts';
import { type NewCode, changeCode, findCode, listCodes, newCode } from '../../codes/codes.ts';
import { keepDesign } from '../../codes/design/stored-design.ts';
import { expiringWithin } from '../../codes/lifetime.ts';
import { changesLook, proveChange } from '../../codes/proof/prove-design.ts';
import type { QrCode } from '../../codes/qr-code.ts';
import { codeTypes } from '../../codes/content/content-types.ts';
import { codeWarnings } from '../../codes/scannability.ts';
import { shareUrl } from '../../codes/share-token.ts';
import {
  createStyledCode,
  missedWarnings,
  plainWarning,
  proveDefaultStyle,
} from '../../codes/styles/default-style.ts';
import { listTrashedCodes, type TrashedCode } from '../../codes/trash.ts';
import { readScanCounts } from '../../scans/analytics.ts';
import { Type, choice, maxLabelLength, nullable, text, timestamp, uuid } from '../../schema.ts';
import type { Database } from '../../store/database.ts';
import { operation } from './operation.ts';
import type { Services } from '../services.ts';
import { etagOf } from './preconditions.ts';
import { pageOf, pageQuery, period, periodOf, periodRules, present, toPage } from './lists.ts';

const codeStates = ['active', 'trashed'] as const;

const assigned = 'is assigned by the service and cannot be set';
const assignedFields = {
  id: assigned,
  shareToken: assigned,
  shareUrl: assigned,
  createdAt: assigned,
  updatedAt: assigned,
  scanCount: 'is counted by the service and cannot be set',
  afterExpiryUrl: 'cannot be set here; use PATCH /api/v1/qrcodes/{id}/ending',
};

/** Messages for fields that only other operations accept, or none. */
export const notInCreate = {
  ...assignedFields,
  isFavorite: 'cannot be set here; use PATCH /api/v1/qrcodes/{id}',
};
export const notInPatch = assignedFields;

const createdProperties = {
  id: uuid('Identifier of the QR code.'),
  // Without the bounds of requests: some clients count UTF-16 units, and would reject a name of 100 emoji.
  name: Type.String({ description: 'The name of the code.' }),
  type: codeFields.type,
  content: Type.String({ description: 'The encoded content.' }),
  shareToken: Type.String({ pattern: '^[0-9A-Za-z]{10}$', description: 'The last part of the share URL.' }),
  shareUrl: Type.String({
    format: 'uri',
    description:
      'The URL in the printed code: {base_url}/r/<shareToken>. Append `.svg`, `.png` or `.pdf` for the picture.',
  }),
  foregroundColor: codeFields.foregroundColor,
  backgroundColor: codeFields.backgroundColor,
  size: codeFields.size,
  errorCorrection: codeFields.errorCorrection,
  category: nullable(Type.String({ description: 'The label of the code, or null.' })),
  createdAt: timestamp('When it was created.'),
  expiresAt: timestamp(
    'When the code stops working. From then on its share URL answers 410 or leads to the `afterExpiryUrl` of its ending, and scans are not counted. Scans may move it to a later time, unless it was chosen.',
  ),
};

export const createdShape = Type.Object(createdProperties, {
  description: 'The QR code that was created.',
});

export const readShape = Type.Object(
  {
    ...createdProperties,
    isPublic: codeFields.isPublic,
    isFavorite: Type.Boolean({ description: 'Whether you marked it as a favorite.' }),
    scanCount: Type.Integer({ minimum: 0, description: 'Number of scans so far.' }),
    updatedAt: timestamp('When it was last changed. Scans do not count as changes.'),
  },
  { description: 'A QR code.' },
);

export const listedShape = Type.Object(
  {
    ...readShape.properties,
    deletedAt: Type.Optional(timestamp('When it was deleted. Only codes in the trash have it.')),
  },
  { description: 'A QR code of a list.' },
);

type NewColumns = NewCode & Pick<QrCode, 'id' | 'shareToken' | 'createdAt' | 'expiresAt'>;

export function presentCreated(code: NewColumns, baseUrl: string): Static<typeof createdShape> {
  return present(createdShape, { ...code, shareUrl: shareUrl(baseUrl, code.shareToken) });
}

export function presentCode(code: QrCode, scanCount: number, baseUrl: string): Static<typeof readShape> {
  return present(readShape, { ...code, shareUrl: shareUrl(baseUrl, code.shareToken), scanCount });
}

/** A code in the trash also says when it was deleted. */
function presentListed(
  code: QrCode | TrashedCode,
  scanCount: number,
  baseUrl: string,
): Static<typeof listedShape> {
  const shown = presentCode(code, scanCount, baseUrl);
  return 'trashedAt' in code ? { ...shown, deletedAt: code.trashedAt.toISOString() } : shown;
}

export const createdExample: Static<typeof createdShape> = {
  id: '01936f3e-7c1a-7d44-8f0b-2a5c7f0e9b11',
  name: 'Menu, summer',
  type: 'url',
  content: 'https://example.com/menu',
  shareToken: 'aZ3kP9xQ2b',
  shareUrl: 'https://qrelay.example/r/aZ3kP9xQ2b',
  foregroundColor: '#1a1410',
  backgroundColor: '#ffffff',
  size: 512,
  errorCorrection: 'M',
  category: null,
  createdAt: '2026-11-28T09:30:00.000Z',
  expiresAt: '2027-11-28T09:30:00.000Z',
};

export const readExample: Static<typeof readShape> = {
  ...createdExample,
  isPublic: true,
  isFavorite: false,
  scanCount: 42,
  updatedAt: '2026-11-28T09:30:00.000Z',
};

export const changedExample: Static<typeof readShape> = {
  ...readExample,
  name: 'Menu, winter',
  isFavorite: true,
  updatedAt: '2026-12-01T08:00:00.000Z',
};

/** Scans do not make a version stale. */
export const codeEtag = ({ scanCount, ...rest }: Static<typeof readShape>) => etagOf(rest, scanCount);

const warningNote =
  'If phones may fail to read the code, a `Qrelay-Warning` header per reason says what to change.';

export const createQrCode = operation({
  id: 'createQrCode',
  method: 'post',
  path: '/qrcodes',
  scope: 'codes',
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
  async prepare({ workspaceId, body, warn, versioned }, { db, config, proofs, now }) {
    const { expiresAt, ...given } = await body(newCodeRules(db, config, now()));
    const created = newCode(
      workspaceId,
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
      return versioned(presentCreated(code, config.baseUrl), codeEtag(presentCode(code, 0, config.baseUrl)));
    };
  },
});

export const readQrCode = operation({
  id: 'readQrCode',
  method: 'get',
  path: '/qrcodes/{id}',
  scope: 'read',
  summary: 'Read a QR code',
  description: 'Returns one of your QR codes, with its number of scans.',
  success: { status: 200, description: 'The QR code.', schema: readShape, example: readExample },
  isVersioned: true,
  async handle({ workspaceId, id, versioned }, services) {
    const shown = await presentWithCount(await findCode(services.db, workspaceId, id), services);
    return versioned(shown, codeEtag(shown));
  },
});

export const listQrCodes = operation({
  id: 'listQrCodes',
  method: 'get',
  path: '/qrcodes',
  scope: 'read',
  summary: 'List QR codes',
  description:
    'Returns your QR codes one page at a time, newest first. Codes that were deleted are in the trash, which is a list of its own.',
  query: Type.Object({
    ...pageQuery('code', { limit: 20, max: 100 }),
    state: Type.Optional(
      Type.Unsafe<(typeof codeStates)[number]>({
        ...choice(codeStates, '`active`: your codes. `trashed`: deleted codes that can be restored.'),
        default: 'active',
      }),
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
    schema: pageOf(listedShape, 'One page of QR codes.'),
    example: { data: [readExample], nextCursor: null },
  },
  async handle({ workspaceId, query }, services) {
    const { limit = 20, cursor: after, state, expiringWithinDays, category, type, favorite } = query;
    const list = state === 'trashed' ? listTrashedCodes : listCodes;
    const { reads, config, now } = services;
    const filter = {
      category,
      type,
      favorite,
      ...periodOf(query),
      expiring: expiringWithin(expiringWithinDays, now()),
    };
    const { codes, counts } = await reads.codes(workspaceId, async (db) => {
      const found: QrCode[] = await list(db, workspaceId, filter, { limit, cursor: after });
      const ids = found.map((code) => code.id);
      return { codes: found, counts: await readScanCounts(db, ids) };
    });
    return toPage(codes, limit, (code) => presentListed(code, counts.get(code.id) ?? 0, config.baseUrl));
  },
});

export const updateQrCode = operation({
  id: 'updateQrCode',
  method: 'patch',
  path: '/qrcodes/{id}',
  scope: 'codes',
  summary: 'Change a QR code',
  description:
    'Send only the fields that you want to change. `type` can only be changed together with `content`. `shareUrl` never changes, so printed codes keep working. If the code has a design, it is proven again with new colors or error correction, and the change is refused if phones could not read it. Scans see the change within 10 seconds.',
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
  async prepare({ workspaceId, id, body, warn, versioned, requireMatch }, { db, config, proofs }) {
    // Invalid fields are reported below.
    const fields = await body().catch(() => ({}));
    const proven = await proveChange({ db, proofs, config }, workspaceId, id, fields);
    return async (services) => {
      const changedAt = services.now();
      const change = (source: Database) =>
        changeCode(
          source,
          workspaceId,
          id,
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
      return versioned(shown, codeEtag(shown));
    };
  },
});

export async function presentWithCount(code: QrCode, { db, config }: Services) {
  const counts = await readScanCounts(db, [code.id]);
  return presentCode(code, counts.get(code.id) ?? 0, config.baseUrl);
}
