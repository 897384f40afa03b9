import type { Static } from 'typebox';
import { Type } from '../../schema.ts';
import { codeTypes, contentType } from '../../codes/content/content-types.ts';
import { errorCorrections, type QrCode } from '../../codes/qr-code.ts';
import type { NewCode } from '../../codes/codes.ts';
import { shareUrl } from '../../codes/share-token.ts';
import { choice, closed, color, id, label, nullable, text, timestamp } from './schema-parts.ts';

const laterTypes = codeTypes.flatMap((type) => {
  const { since } = contentType(type);
  return since ? [` \`${type}\` exists since release ${since}.`] : [];
});
const typeDescription = `The kind of content.${laterTypes.join('')}`;

const fields = {
  name: label(
    'A name for the code. Leading and trailing spaces are removed, and it is stored in Unicode NFC.',
  ),
  type: choice(codeTypes, typeDescription),
  content: text(
    'The encoded content: a URL, text, a vCard payload and so on. The maximum length is what a QR code can hold, which depends on `errorCorrection`: 2953 bytes of UTF-8 at L, 2331 at M, 1663 at Q, 1273 at H. Type `url` requires an absolute http or https URL without user name, password, control characters or surrounding spaces. Content of any type must not link to a share URL of this service. The other types accept either the bare value or the usual payload, for example `+15550100123` or `tel:+15550100123`. Content that cannot be parsed is shown as text.',
  ),
  foregroundColor: color('Color of the modules.'),
  backgroundColor: color('Color of the background.'),
  size: Type.Integer({
    minimum: 128,
    maximum: 2048,
    description: 'Width and height of the image in pixels.',
  }),
  errorCorrection: choice(
    errorCorrections,
    'Error correction level. H survives the most damage in print, L holds the most content.',
  ),
  category: nullable(label('A label to group codes by, or null.')),
  isPublic: Type.Boolean({ description: 'Whether the share URL works. If false, it answers 404.' }),
};

const withDefault = <Schema extends object>(schema: Schema, value: unknown): Schema => ({
  ...schema,
  default: value,
});

export const createBody = Type.Object(
  {
    name: fields.name,
    content: fields.content,
    type: Type.Optional(withDefault(fields.type, 'url')),
    foregroundColor: Type.Optional(withDefault(fields.foregroundColor, '#1a1410')),
    backgroundColor: Type.Optional(withDefault(fields.backgroundColor, '#ffffff')),
    errorCorrection: Type.Optional(withDefault(fields.errorCorrection, 'M')),
    size: Type.Optional(withDefault(fields.size, 512)),
    category: Type.Optional(withDefault(fields.category, null)),
    isPublic: Type.Optional(withDefault(fields.isPublic, true)),
    expiresAt: Type.Optional(
      timestamp(
        'When the code stops working. Must be in the future. It is never moved then. The default is one year after creation, unless the operator of the service has set another lifetime; a scan in the second half of it renews the code for another one.',
      ),
    ),
  },
  { ...closed, description: 'The QR code to create.' },
);

/** Taken from the schema, which is the only place that defines them. */
export const createDefaults = Object.fromEntries(
  Object.entries(createBody.properties).flatMap(([name, schema]) =>
    'default' in schema ? [[name, schema.default]] : [],
  ),
) as Required<Omit<Static<typeof createBody>, 'name' | 'content' | 'expiresAt'>>;

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

export const patchBody = Type.Partial(
  Type.Object({
    name: fields.name,
    type: choice(codeTypes, `${typeDescription} Can only be changed together with \`content\`.`),
    content: fields.content,
    foregroundColor: fields.foregroundColor,
    backgroundColor: fields.backgroundColor,
    errorCorrection: fields.errorCorrection,
    size: fields.size,
    category: fields.category,
    isPublic: fields.isPublic,
    isFavorite: Type.Boolean({ description: 'Whether you marked it as a favorite.' }),
    expiresAt: timestamp(
      'When the code stops working. A time in the past expires it at once, a later time extends it. From then on, scans no longer renew the code; `PATCH /qrcodes/{id}/ending` with null returns to that.',
    ),
  }),
  { ...closed, description: 'The fields to change. Omitted fields are not changed.' },
);

const createdProperties = {
  id: id('Identifier of the QR code.'),
  // Without the bounds of requests: some clients count UTF-16 units, and would reject a name of 100 emoji.
  name: Type.String({ description: 'The name of the code.' }),
  type: fields.type,
  content: Type.String({ description: 'The encoded content.' }),
  shareToken: Type.String({ pattern: '^[0-9A-Za-z]{10}$', description: 'The last part of the share URL.' }),
  shareUrl: Type.String({
    format: 'uri',
    description:
      'The URL in the printed code: {base_url}/r/<shareToken>. Append `.svg`, `.png` or `.pdf` for the picture.',
  }),
  foregroundColor: fields.foregroundColor,
  backgroundColor: fields.backgroundColor,
  size: fields.size,
  errorCorrection: fields.errorCorrection,
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
    isPublic: fields.isPublic,
    isFavorite: Type.Boolean({ description: 'Whether you marked it as a favorite.' }),
    scanCount: Type.Integer({ minimum: 0, description: 'Number of scans so far.' }),
    updatedAt: timestamp('When it was last changed. Scans do not count as changes.'),
  },
  { description: 'A QR code.' },
);

type NewColumns = NewCode & Pick<QrCode, 'id' | 'shareToken' | 'createdAt' | 'expiresAt'>;

export function presentCreated(code: NewColumns, baseUrl: string): Static<typeof createdShape> {
  return {
    id: code.id,
    name: code.name,
    type: code.type,
    content: code.content,
    shareToken: code.shareToken,
    shareUrl: shareUrl(baseUrl, code.shareToken),
    foregroundColor: code.foregroundColor,
    backgroundColor: code.backgroundColor,
    size: code.size,
    errorCorrection: code.errorCorrection,
    category: code.category,
    createdAt: code.createdAt.toISOString(),
    expiresAt: code.expiresAt.toISOString(),
  };
}

export function presentCode(code: QrCode, scanCount: number, baseUrl: string): Static<typeof readShape> {
  return {
    ...presentCreated(code, baseUrl),
    isPublic: code.isPublic,
    isFavorite: code.isFavorite,
    scanCount,
    updatedAt: code.updatedAt.toISOString(),
  };
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
