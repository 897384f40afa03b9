import { maxLogoBytes } from '../../codes/files/upload.ts';
import { changeStyle, findStyle, proveStyle, type Style } from '../../codes/styles/styles.ts';
import { logoExample, logoShape } from './design-shapes.ts';
import { operation } from './operation.ts';
import { readLogo } from './read-logo.ts';
import { presentStyle, styleExample, styleShape } from './style-shapes.ts';
import { styleEtag, styleIdParams } from './styles.ts';

const path = '/styles/{id}/logo';

export const readStyleLogo = operation({
  id: 'readStyleLogo',
  method: 'get',
  path,
  tag: 'Styles',
  summary: 'Read the logo of a style',
  description: 'Returns which logo the style has. Its `ETag` is that of the style.',
  params: styleIdParams,
  success: { status: 200, description: 'The logo, or null.', schema: logoShape, example: logoExample },
  isVersioned: true,
  async handle({ ownerId, params, etag }, { db }) {
    const style = await findStyle(db, ownerId, params.id);
    etag(styleEtag(style));
    return { logo: style.design.logo };
  },
});

export const replaceStyleLogo = operation({
  id: 'replaceStyleLogo',
  method: 'put',
  path,
  tag: 'Styles',
  summary: 'Set the logo of a style',
  description:
    'The body is the file, like that of `PUT /qrcodes/{id}/design/logo`. Codes that have got the style do not change.',
  params: styleIdParams,
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
    { ownerId, caller, params, file, etag, requireMatch },
    { db, config, proofs, imageDecoder, now },
  ) {
    const style = await findStyle(db, ownerId, params.id);
    const check = (current: Style) => requireMatch(styleEtag(current));
    check(style);
    const newLogo = await readLogo(imageDecoder, caller, ownerId, file());
    const to = { ...style.design, logo: newLogo.id };
    await proveStyle(proofs, caller, to, config.baseUrl, newLogo);
    const design = { from: style.design, to, newLogo };
    const saved = await changeStyle(db, ownerId, style.id, { design, check }, now());
    etag(styleEtag(saved));
    return presentStyle(saved);
  },
});

export const deleteStyleLogo = operation({
  id: 'deleteStyleLogo',
  method: 'delete',
  path,
  tag: 'Styles',
  summary: 'Remove the logo of a style',
  description: 'The rest of the style stays. Codes that have got the style do not change.',
  params: styleIdParams,
  isVersioned: true,
  success: { status: 204, description: 'The style has no logo.' },
  async handle({ ownerId, caller, params, requireMatch }, { db, config, proofs, now }) {
    const style = await findStyle(db, ownerId, params.id);
    const check = (current: Style) => requireMatch(styleEtag(current));
    check(style);
    if (style.design.logo === null) return;
    const to = { ...style.design, logo: null };
    await proveStyle(proofs, caller, to, config.baseUrl);
    await changeStyle(db, ownerId, style.id, { design: { from: style.design, to }, check }, now());
  },
});
