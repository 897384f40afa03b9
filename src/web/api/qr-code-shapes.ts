import { type Static, Type } from 'typebox';
import { codeTypes, errorCorrections, type QrCode } from '../../codes/qr-code.ts';
import { shareUrl } from '../../codes/share-token.ts';
import { closed, colour, id, label, nullable, text, timestamp } from './schema-parts.ts';

const fields = {
  name: label('For people. Stored trimmed and in Unicode NFC.'),
  type: Type.Enum([...codeTypes], { description: 'What the content is.' }),
  content: text(
    'The encoded content: a URL, text, a vCard payload and so on. At most what a QR code holds at its error correction, in bytes of UTF-8: L 2953, M 2331, Q 1663, H 1273. For the type url: an absolute http or https URL without user name, password, control characters or spaces around it, and no share address of this service. Other types take the bare value or its usual payload; what cannot be parsed is shown as text.',
  ),
  foregroundColor: colour('Colour of the modules.'),
  backgroundColor: colour('Colour between the modules.'),
  size: Type.Integer({ minimum: 128, maximum: 2048, description: 'Width and height in pixels.' }),
  errorCorrection: Type.Enum([...errorCorrections], { description: 'Error correction level.' }),
  category: nullable(label('Free label; null for none.')),
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
  },
  { ...closed, description: 'A QR code to be created and shared.' },
);

/** The defaults of the contract, in the one place where they stand: the schema. */
export const createDefaults = Object.fromEntries(
  Object.entries(createBody.properties).flatMap(([name, schema]) =>
    'default' in schema ? [[name, schema.default]] : [],
  ),
) as Required<Omit<Static<typeof createBody>, 'name' | 'content'>>;

export const patchBody = Type.Partial(
  Type.Object({
    name: fields.name,
    content: fields.content,
    foregroundColor: fields.foregroundColor,
    backgroundColor: fields.backgroundColor,
    errorCorrection: fields.errorCorrection,
    size: fields.size,
    category: fields.category,
    isPublic: Type.Boolean({ description: 'Whether the share address answers.' }),
    isFavorite: Type.Boolean({ description: 'A mark for the owner.' }),
    expiresAt: timestamp('A past moment ends the code, a later one renews it.'),
  }),
  { ...closed, description: 'What to change. Fields that are not given stay as they are.' },
);

const createdProperties = {
  id: id('Identifier of the QR code.'),
  name: fields.name,
  type: fields.type,
  content: fields.content,
  shareToken: Type.String({ pattern: '^[0-9A-Za-z]{10}$', description: 'Token of the public share.' }),
  shareUrl: Type.String({ format: 'uri', description: 'The address to print: {base_url}/r/<shareToken>.' }),
  foregroundColor: fields.foregroundColor,
  backgroundColor: fields.backgroundColor,
  size: fields.size,
  errorCorrection: fields.errorCorrection,
  category: fields.category,
  createdAt: timestamp('When it was created.'),
  expiresAt: timestamp('From then on the share address answers 410 and counts nothing.'),
};

export const createdShape = Type.Object(createdProperties, {
  ...closed,
  description: 'A QR code as created.',
});

export const readShape = Type.Object(
  {
    ...createdProperties,
    isPublic: Type.Boolean({ description: 'Whether the share address answers.' }),
    isFavorite: Type.Boolean({ description: 'A mark for the owner.' }),
    scanCount: Type.Integer({ minimum: 0, description: 'Number of scans.' }),
    updatedAt: timestamp('When it was last changed. A scan is no change.'),
  },
  { ...closed, description: 'A QR code.' },
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
