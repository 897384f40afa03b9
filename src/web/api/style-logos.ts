import { maxLogoBytes } from '../../codes/logo/logo-limits.ts';
import { proveStyle } from '../../codes/styles/prove-style.ts';
import { changeStyle, findStyle } from '../../codes/styles/styles.ts';
import { operation } from './operation.ts';
import { readLogo } from './read-logo.ts';
import { presentStyle, styleExample, styleShape } from './style-shapes.ts';
import { styleIdParams } from './styles.ts';

const path = '/styles/{id}/logo';

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
  mayConflict: true,
  success: {
    status: 200,
    description: 'The style with the logo was proven and saved.',
    schema: styleShape,
    example: { ...styleExample, logo: '3xO0VbPzNnCkQYcH7rV0Zr2q4y4k3V5g0Ck5mZ8sW1E' },
  },
  async handle({ ownerId, caller, params, file }, { db, config, proofs, imageDecoder, now }) {
    const style = await findStyle(db, ownerId, params.id);
    const newLogo = await readLogo(imageDecoder, caller, ownerId, file());
    const to = { ...style.design, logo: newLogo.id };
    await proveStyle(proofs, caller, to, config.baseUrl, newLogo);
    const design = { from: style.design, to, newLogo };
    return presentStyle(await changeStyle(db, ownerId, style.id, { design }, now()));
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
  mayConflict: true,
  success: { status: 204, description: 'The style has no logo.' },
  async handle({ ownerId, caller, params }, { db, config, proofs, now }) {
    const style = await findStyle(db, ownerId, params.id);
    if (style.design.logo === null) return;
    const to = { ...style.design, logo: null };
    await proveStyle(proofs, caller, to, config.baseUrl);
    await changeStyle(db, ownerId, style.id, { design: { from: style.design, to } }, now());
  },
});
