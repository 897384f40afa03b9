import type { Static } from 'typebox';
import { type Design, defaultDesign } from '../../codes/design/design.ts';
import { maxAppliedCodes, type StyleApplication } from '../../codes/styles/style-applications.ts';
import type { Style } from '../../codes/styles/styles.ts';
import { Type } from '../../schema.ts';
import { designChanges, designInputs, designProperties } from './design-shapes.ts';
import { formerField, formerName } from './former-names.ts';
import { choice, closed, id, label, maxLabelLength, nullable, text, timestamp } from './schema-parts.ts';

const name = label('The name of the style: unique in the account, whether in upper or lower case.');
const isDefault = Type.Boolean({
  description: 'Whether new QR codes get the style. Setting it to true ends it for the style that had it.',
});

const startCode = nullable({
  ...id('Starts with the design of this QR code and its logo, instead of the defaults.'),
  default: null,
});

export const styleBody = Type.Object(
  {
    name,
    isDefault: Type.Optional({ ...isDefault, default: false }),
    qrCodeId: Type.Optional(startCode),
    codeId: formerName(startCode, 'qrCodeId'),
    ...Type.Partial(Type.Object(designInputs)).properties,
  },
  { ...closed, description: 'The style to create. Omitted fields get their default.' },
);

export const styleChanges = Type.Partial(Type.Object({ name, isDefault, ...designChanges }), {
  ...closed,
  description: 'The fields to change. Omitted fields are not changed.',
});

export const styleShape = Type.Object(
  {
    id: id('Identifier of the style.'),
    name: Type.String({ description: 'The name of the style.' }),
    isDefault,
    ...designProperties,
    createdAt: timestamp('When it was created.'),
    updatedAt: timestamp('When it was last changed.'),
  },
  { description: 'A design with a name, to be used for many QR codes.' },
);

const ids = {
  minItems: 1,
  maxItems: maxAppliedCodes,
  description: 'The QR codes. Send either these or `category`.',
};
const category = Type.Optional(
  text(`All QR codes with this category, up to ${maxAppliedCodes}. Send either this or \`qrCodeIds\`.`, {
    maxLength: maxLabelLength,
  }),
);

const idList = Type.Array(id('Identifier of a QR code.'), ids);

export const applicationBody = Type.Object(
  { qrCodeIds: Type.Optional(idList), category, codeIds: formerName(idList, 'qrCodeIds') },
  { ...closed, description: 'The QR codes that get the style.' },
);

/** Ids are checked by `idErrors`: hundreds of errors at once would block other requests. */
export const checkedApplicationBody = Type.Object(
  { qrCodeIds: Type.Optional(Type.Unsafe<unknown[]>({ type: 'array', ...ids })), category },
  closed,
);

const count = (description: string) => Type.Integer({ minimum: 0, description });

const refusedCode = id('Identifier of the QR code.');

export const applicationShape = Type.Object(
  {
    id: id('Identifier of the application.'),
    styleId: id('Identifier of the style.'),
    status: choice(['pending', 'done'], '`pending` while codes wait, then `done`.'),
    total: count('Number of QR codes. Those that are deleted meanwhile do not count.'),
    pending: count('Number of QR codes that wait.'),
    applied: count('Number of QR codes that have got the style.'),
    refused: Type.Array(
      Type.Object({
        qrCodeId: refusedCode,
        codeId: formerField(refusedCode, 'qrCodeId'),
        reason: Type.String({
          description:
            'Why it stays as it was: phones could not read it in the style, or it got another design meanwhile.',
        }),
      }),
      { description: 'QR codes that stay as they were.' },
    ),
    createdAt: timestamp('When it was requested.'),
  },
  { description: 'A style that is applied to QR codes, and how far it is.' },
);

export function presentStyle(style: Style): Static<typeof styleShape> {
  return {
    id: style.id,
    name: style.name,
    isDefault: style.isDefault,
    ...style.design,
    createdAt: style.createdAt.toISOString(),
    updatedAt: style.updatedAt.toISOString(),
  };
}

export function presentApplication(given: StyleApplication): Static<typeof applicationShape> {
  return {
    id: given.id,
    styleId: given.styleId,
    status: given.waiting > 0 ? 'pending' : 'done',
    total: given.total,
    pending: given.waiting,
    applied: given.applied,
    refused: given.refused.map(({ codeId, reason }) => ({ qrCodeId: codeId, codeId, reason })),
    createdAt: given.createdAt.toISOString(),
  };
}

export const styleExample: Static<typeof styleShape> = {
  id: '01936f60-1a2b-7c33-8d44-5e6f7a8b9c01',
  name: 'Café Linden',
  isDefault: true,
  ...(defaultDesign satisfies Design),
  moduleShape: 'rounded',
  frame: 'band',
  frameText: 'Scan me',
  createdAt: '2026-12-01T08:00:00.000Z',
  updatedAt: '2026-12-01T08:00:00.000Z',
};

export const applicationExample: Static<typeof applicationShape> = {
  id: '01936f61-3c4d-7e55-9f66-7a8b9c0d1e02',
  styleId: styleExample.id,
  status: 'pending',
  total: 2,
  pending: 2,
  applied: 0,
  refused: [],
  createdAt: '2026-12-01T08:01:00.000Z',
};
