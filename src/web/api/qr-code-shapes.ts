import { type Static, Type } from 'typebox';
import { codeTypes, errorCorrections, type QrCode } from '../../codes/qr-code.ts';
import { shareUrl } from '../../codes/share-token.ts';
import { choice, closed, colour, id, label, nullable, text, timestamp } from './schema-parts.ts';

const typeMeaning = 'What kind of content the code holds.';

const fields = {
  name: label('A name to find the code by. Spaces around it are removed, and it is stored in Unicode NFC.'),
  type: choice(codeTypes, typeMeaning),
  content: text(
    'The encoded content: a URL, text, a vCard payload and so on. It may be as long as a QR code can hold, which depends on `errorCorrection`: 2953 bytes of UTF-8 at L, 2331 at M, 1663 at Q, 1273 at H. Type `url` needs an absolute http or https URL without a user name, a password, control characters or spaces around it. Content of any type that links to a share URL of this service is refused. The other types take either the bare value or the usual payload, for example `+15550100123` or `tel:+15550100123`. Content that cannot be parsed is shown as text.',
  ),
  foregroundColor: colour('Color of the squares.'),
  backgroundColor: colour('Color of the background.'),
  size: Type.Integer({
    minimum: 128,
    maximum: 2048,
    description: 'Width and height of the picture in pixels.',
  }),
  errorCorrection: choice(
    errorCorrections,
    'Error correction level. H survives the most damage in print, L holds the most content.',
  ),
  category: nullable(label('A label of your own to group codes by, or null.')),
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
        'When the code stops working. Must be in the future. If you leave it out, it is one year after creation, or what the operator of the service has set.',
      ),
    ),
  },
  { ...closed, description: 'The QR code to create.' },
);

/** The defaults of the contract, in the one place where they stand: the schema. */
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
};

/** What to do about fields that only other operations take, or none. */
export const notInCreate = {
  ...assignedFields,
  isFavorite: 'cannot be set here; use PATCH /api/v1/qrcodes/{id}',
};
export const notInPatch = assignedFields;

export const patchBody = Type.Partial(
  Type.Object({
    name: fields.name,
    type: choice(codeTypes, `${typeMeaning} Changes only together with \`content\`.`),
    content: fields.content,
    foregroundColor: fields.foregroundColor,
    backgroundColor: fields.backgroundColor,
    errorCorrection: fields.errorCorrection,
    size: fields.size,
    category: fields.category,
    isPublic: fields.isPublic,
    isFavorite: Type.Boolean({ description: 'Whether you marked it as a favorite.' }),
    expiresAt: timestamp(
      'When the code stops working. A time in the past ends it at once, a later one extends it.',
    ),
  }),
  { ...closed, description: 'The fields to change. Fields that you leave out stay as they are.' },
);

const createdProperties = {
  id: id('Identifier of the QR code.'),
  // Without the bounds of requests: some clients count UTF-16 units, and would refuse a name of 100 emoji.
  name: Type.String({ description: 'The name that you gave it.' }),
  type: fields.type,
  content: Type.String({ description: 'The encoded content.' }),
  shareToken: Type.String({ pattern: '^[0-9A-Za-z]{10}$', description: 'The last part of the share URL.' }),
  shareUrl: Type.String({
    format: 'uri',
    description:
      'What the printed code leads to: {base_url}/r/<shareToken>. Add `.svg` or `.png` for the picture.',
  }),
  foregroundColor: fields.foregroundColor,
  backgroundColor: fields.backgroundColor,
  size: fields.size,
  errorCorrection: fields.errorCorrection,
  category: nullable(Type.String({ description: 'The label that you gave it, or null.' })),
  createdAt: timestamp('When it was created.'),
  expiresAt: timestamp(
    'When the code stops working: from then on its share URL answers 410, and scans are not counted.',
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

export function presentCreated(code: QrCode, baseUrl: string): Static<typeof createdShape> {
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
