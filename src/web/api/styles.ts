import type { Static } from 'typebox';
import { findCode } from '../../codes/codes.ts';
import { designFields, designInputs } from '../../codes/design/design-schema.ts';
import { type Design, defaultDesign, normalizeDesign } from '../../codes/design/design.ts';
import { findDesign } from '../../codes/design/stored-design.ts';
import { readLogo } from '../../codes/files/read-upload.ts';
import { maxLogoBytes } from '../../codes/files/upload.ts';
import {
  type Style,
  changeStyle,
  findStyle,
  findStyles,
  insertStyle,
  proveStyle,
  removeStyle,
} from '../../codes/styles/styles.ts';
import { Type, closed, label, nullable, timestamp, uuid } from '../../schema.ts';
import { designProperties, logoExample, logoShape } from './designs.ts';
import { formerName } from './former-names.ts';
import { operation } from './operation.ts';
import { pageOf, pageQuery, toPage } from './lists.ts';

const styleName = label('The name of the style: unique in the account, whether in upper or lower case.');
const defaultFlag = Type.Boolean({
  description: 'Whether new QR codes get the style. Setting it to true ends it for the style that had it.',
});

const startCode = nullable({
  ...uuid('Starts with the design of this QR code and its logo, instead of the defaults.'),
  default: null,
});

export const styleBody = Type.Object(
  {
    name: styleName,
    isDefault: Type.Optional({ ...defaultFlag, default: false }),
    qrCodeId: Type.Optional(startCode),
    codeId: formerName(startCode, 'qrCodeId'),
    ...Type.Partial(Type.Object(designInputs)).properties,
  },
  { ...closed, description: 'The style to create. Omitted fields get their default.' },
);

export const styleChanges = Type.Partial(
  Type.Object({ name: styleName, isDefault: defaultFlag, ...designFields }),
  {
    ...closed,
    description: 'The fields to change. Omitted fields are not changed.',
  },
);

export const styleShape = Type.Object(
  {
    id: uuid('Identifier of the style.'),
    name: Type.String({ description: 'The name of the style.' }),
    isDefault: defaultFlag,
    ...designProperties,
    createdAt: timestamp('When it was created.'),
    updatedAt: timestamp('When it was last changed.'),
  },
  { description: 'A design with a name, to be used for many QR codes.' },
);

function presentStyle(style: Style): Static<typeof styleShape> {
  return {
    id: style.id,
    name: style.name,
    isDefault: style.isDefault,
    ...style.design,
    createdAt: style.createdAt.toISOString(),
    updatedAt: style.updatedAt.toISOString(),
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

const logoHint = { logo: 'cannot be set here; use PUT /api/v1/styles/{id}/logo' };
const proven =
  'It is proven to scan on an example with the default colors, and again on each code that gets it.';

const path = '/styles/{id}/logo';

export const styleOperations = [
  operation({
    id: 'createStyle',
    method: 'post',
    path: '/styles',
    scope: 'codes',
    summary: 'Create a style',
    description: `A style is a design with a name, and with a logo if it has one. ${proven} An account can have 50.`,
    body: styleBody,
    bodyExample: { name: 'Café Linden', moduleShape: 'rounded', frame: 'band', frameText: 'Scan me' },
    otherFields: logoHint,
    success: {
      status: 201,
      description: 'The style was created.',
      schema: styleShape,
      example: { ...styleExample, isDefault: false },
      location: '/styles/{id}',
    },
    isVersioned: true,
    async prepare({ workspaceId, caller, body, versioned }, { db, config, proofs, now }) {
      const { name, isDefault = false, qrCodeId = null, ...given } = await body();
      const code = qrCodeId === null ? undefined : await findCode(db, workspaceId, qrCodeId);
      const start = code && (await findDesign(db, code.id))?.design;
      const design = normalizeDesign({ ...start, ...(given as Partial<Design>) });
      await proveStyle(proofs, caller, { design }, config.baseUrl);
      return async (services) => {
        const style = await insertStyle(services.db, workspaceId, { name, design, isDefault }, now());
        return versioned(presentStyle(style));
      };
    },
  }),

  operation({
    id: 'listStyles',
    method: 'get',
    path: '/styles',
    scope: 'read',
    summary: 'List styles',
    description: 'Returns your styles, newest first. Without `limit`, up to 100 are on a page.',
    query: Type.Object({
      ...pageQuery('style', { limit: 100, max: 100 }),
    }),
    success: {
      status: 200,
      description: 'Your styles.',
      schema: pageOf(styleShape, 'One page of styles.'),
      example: { data: [styleExample], nextCursor: null },
    },
    async handle({ workspaceId, query: { limit = 100, cursor: after } }, { db }) {
      return toPage(await findStyles(db, workspaceId, { limit, cursor: after }), limit, presentStyle);
    },
  }),

  operation({
    id: 'readStyle',
    method: 'get',
    path: '/styles/{id}',
    scope: 'read',
    summary: 'Read a style',
    description: 'Returns one of your styles.',
    success: { status: 200, description: 'The style.', schema: styleShape, example: styleExample },
    isVersioned: true,
    async handle({ workspaceId, id, versioned }, { db }) {
      const style = await findStyle(db, workspaceId, id);
      return versioned(presentStyle(style));
    },
  }),

  operation({
    id: 'updateStyle',
    method: 'patch',
    path: '/styles/{id}',
    scope: 'codes',
    summary: 'Change a style',
    description: `Send only the fields that you want to change. ${proven} Codes that have got the style do not change: apply it again.`,
    body: styleChanges,
    bodyExample: { name: 'Café Linden, winter', isDefault: true },
    otherFields: logoHint,
    isVersioned: true,
    success: {
      status: 200,
      description: 'The style after the change.',
      schema: styleShape,
      example: styleExample,
    },
    async prepare({ workspaceId, caller, id, body, versioned, requireMatch }, { db, config, proofs, now }) {
      const stored = await findStyle(db, workspaceId, id);
      const { name, isDefault, ...given } = await body();
      const check = (current: Style) => requireMatch(presentStyle(current));
      check(stored);
      const changesDesign = Object.keys(given).length > 0;
      const design = normalizeDesign({ ...stored.design, ...(given as Partial<Design>) });
      if (changesDesign) await proveStyle(proofs, caller, { design, colors: stored }, config.baseUrl);
      const changes = {
        ...(name !== undefined && { name }),
        ...(isDefault !== undefined && { isDefault }),
        ...(changesDesign && { design: { from: stored.design, to: design } }),
      };
      return async (services) => {
        const style = await changeStyle(services.db, workspaceId, stored.id, { ...changes, check }, now());
        return versioned(presentStyle(style));
      };
    },
  }),

  operation({
    id: 'deleteStyle',
    method: 'delete',
    path: '/styles/{id}',
    scope: 'codes',
    summary: 'Delete a style',
    description: 'Codes that have got it keep their design. Codes that wait for it do not get it.',
    success: { status: 204, description: 'The style was deleted.' },
    isVersioned: true,
    async handle({ workspaceId, id, requireMatch }, { db }) {
      await removeStyle(db, workspaceId, id, (style) => requireMatch(presentStyle(style)));
    },
  }),

  operation({
    id: 'readStyleLogo',
    method: 'get',
    path,
    scope: 'read',
    summary: 'Read the logo of a style',
    description: 'Returns which logo the style has. Its `ETag` is that of the style.',
    success: { status: 200, description: 'The logo, or null.', schema: logoShape, example: logoExample },
    isVersioned: true,
    async handle({ workspaceId, id, versioned }, { db }) {
      const style = await findStyle(db, workspaceId, id);
      return { logo: versioned(presentStyle(style)).logo };
    },
  }),

  operation({
    id: 'replaceStyleLogo',
    method: 'put',
    path,
    scope: 'codes',
    summary: 'Set the logo of a style',
    description:
      'The body is the file, like that of `PUT /qrcodes/{id}/design/logo`. Codes that have got the style do not change.',
    fileTypes: ['image/png', 'image/jpeg', 'image/webp', 'image/svg+xml'],
    maxBodyBytes: maxLogoBytes,
    isVersioned: true,
    success: {
      status: 200,
      description: 'The style with the logo was proven and saved.',
      schema: styleShape,
      example: { ...styleExample, ...logoExample },
    },
    async handle(
      { workspaceId, caller, id, file, versioned, requireMatch },
      { db, config, proofs, imageDecoder, now },
    ) {
      const style = await findStyle(db, workspaceId, id);
      const check = (current: Style) => requireMatch(presentStyle(current));
      check(style);
      const newLogo = await readLogo(imageDecoder, caller, workspaceId, file());
      const to = { ...style.design, logo: newLogo.id };
      await proveStyle(proofs, caller, { design: to, colors: style }, config.baseUrl, newLogo);
      const design = { from: style.design, to, newLogo };
      const saved = await changeStyle(db, workspaceId, style.id, { design, check }, now());
      return versioned(presentStyle(saved));
    },
  }),

  operation({
    id: 'deleteStyleLogo',
    method: 'delete',
    path,
    scope: 'codes',
    summary: 'Remove the logo of a style',
    description: 'The rest of the style stays. Codes that have got the style do not change.',
    isVersioned: true,
    success: { status: 204, description: 'The style has no logo.' },
    async handle({ workspaceId, caller, id, requireMatch }, { db, config, proofs, now }) {
      const style = await findStyle(db, workspaceId, id);
      const check = (current: Style) => requireMatch(presentStyle(current));
      check(style);
      if (style.design.logo === null) return;
      const to = { ...style.design, logo: null };
      await proveStyle(proofs, caller, { design: to, colors: style }, config.baseUrl);
      await changeStyle(db, workspaceId, style.id, { design: { from: style.design, to }, check }, now());
    },
  }),
];
