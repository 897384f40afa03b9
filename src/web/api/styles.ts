import { findCode } from '../../codes/codes.ts';
import { type Design, normalizeDesign } from '../../codes/design/design.ts';
import { findDesign } from '../../codes/design/stored-design.ts';
import {
  changeStyle,
  findStyle,
  findStyles,
  insertStyle,
  proveStyle,
  removeStyle,
  type Style,
} from '../../codes/styles/styles.ts';
import { Type } from '../../schema.ts';
import { operation } from './operation.ts';
import { resourceEtag } from './preconditions.ts';
import { cursor, fewLimit, pageOf, toPage } from './schema-parts.ts';
import { presentStyle, styleBody, styleChanges, styleExample, styleShape } from './style-shapes.ts';

export const styleIdParams = Type.Object({ id: Type.String({ description: 'The `id` of the style.' }) });

export const styleEtag = (style: Style) => resourceEtag(presentStyle(style));

const logoHint = { logo: 'cannot be set here; use PUT /api/v1/styles/{id}/logo' };
const proven =
  'It is proven to scan on an example with the default colors, and again on each code that gets it.';

export const createStyle = operation({
  id: 'createStyle',
  method: 'post',
  path: '/styles',
  tag: 'Styles',
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
  async prepare({ ownerId, caller, body, etag }, { db, config, proofs, now }) {
    const { name, isDefault = false, qrCodeId = null, ...given } = await body();
    const code = qrCodeId === null ? undefined : await findCode(db, ownerId, qrCodeId);
    const start = code && (await findDesign(db, code.id))?.design;
    const design = normalizeDesign({ ...start, ...(given as Partial<Design>) });
    await proveStyle(proofs, caller, design, config.baseUrl);
    return async (services) => {
      const style = await insertStyle(services.db, ownerId, { name, design, isDefault }, now());
      etag(styleEtag(style));
      return presentStyle(style);
    };
  },
});

export const listStyles = operation({
  id: 'listStyles',
  method: 'get',
  path: '/styles',
  tag: 'Styles',
  summary: 'List styles',
  description: 'Returns your styles, newest first. Without `limit`, up to 100 are on a page.',
  query: Type.Object({
    limit: fewLimit('styles'),
    cursor: Type.Optional(
      cursor('The `nextCursor` of the previous page, which is the `id` of its last style.'),
    ),
  }),
  success: {
    status: 200,
    description: 'Your styles.',
    schema: pageOf(styleShape, 'One page of styles.'),
    example: { data: [styleExample], nextCursor: null },
  },
  async handle({ ownerId, query: { limit = 100, cursor: after } }, { db }) {
    return toPage(await findStyles(db, ownerId, { limit, cursor: after }), limit, presentStyle);
  },
});

export const readStyle = operation({
  id: 'readStyle',
  method: 'get',
  path: '/styles/{id}',
  tag: 'Styles',
  summary: 'Read a style',
  description: 'Returns one of your styles.',
  params: styleIdParams,
  success: { status: 200, description: 'The style.', schema: styleShape, example: styleExample },
  isVersioned: true,
  async handle({ ownerId, params, etag }, { db }) {
    const style = await findStyle(db, ownerId, params.id);
    etag(styleEtag(style));
    return presentStyle(style);
  },
});

export const updateStyle = operation({
  id: 'updateStyle',
  method: 'patch',
  path: '/styles/{id}',
  tag: 'Styles',
  summary: 'Change a style',
  description: `Send only the fields that you want to change. ${proven} Codes that have got the style do not change: apply it again.`,
  params: styleIdParams,
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
  async prepare({ ownerId, caller, params, body, etag, requireMatch }, { db, config, proofs, now }) {
    const stored = await findStyle(db, ownerId, params.id);
    const { name, isDefault, ...given } = await body();
    const check = (current: Style) => requireMatch(styleEtag(current));
    check(stored);
    const changesDesign = Object.keys(given).length > 0;
    const design = normalizeDesign({ ...stored.design, ...(given as Partial<Design>) });
    if (changesDesign) await proveStyle(proofs, caller, design, config.baseUrl);
    const changes = {
      ...(name !== undefined && { name }),
      ...(isDefault !== undefined && { isDefault }),
      ...(changesDesign && { design: { from: stored.design, to: design } }),
    };
    return async (services) => {
      const style = await changeStyle(services.db, ownerId, stored.id, { ...changes, check }, now());
      etag(styleEtag(style));
      return presentStyle(style);
    };
  },
});

export const deleteStyle = operation({
  id: 'deleteStyle',
  method: 'delete',
  path: '/styles/{id}',
  tag: 'Styles',
  summary: 'Delete a style',
  description: 'Codes that have got it keep their design. Codes that wait for it do not get it.',
  params: styleIdParams,
  success: { status: 204, description: 'The style was deleted.' },
  isVersioned: true,
  async handle({ ownerId, params, requireMatch }, { db }) {
    await removeStyle(db, ownerId, params.id, (style) => requireMatch(styleEtag(style)));
  },
});
