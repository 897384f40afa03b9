import { findCode } from '../../codes/codes.ts';
import { normalizeDesign } from '../../codes/design/design.ts';
import { findDesign, saveDesign } from '../../codes/design/stored-design.ts';
import { maxLogoBytes } from '../../codes/files/upload.ts';
import { designExample, designShape, logoExample, logoShape } from './design-shapes.ts';
import { presentDesign, presentProven } from './designs.ts';
import { operation } from './operation.ts';
import { resourceEtag } from './preconditions.ts';
import { proveDesign } from '../../codes/proof/prove-design.ts';
import { codeIdParams } from './qr-codes.ts';
import { readLogo } from './read-logo.ts';

const path = '/qrcodes/{id}/design/logo';

export const readQrCodeLogo = operation({
  id: 'readQrCodeLogo',
  method: 'get',
  path,
  tag: 'QR codes',
  summary: 'Read the logo of a QR code',
  description: 'Returns which logo the design has. Its `ETag` is that of the design.',
  params: codeIdParams,
  success: { status: 200, description: 'The logo, or null.', schema: logoShape, example: logoExample },
  isVersioned: true,
  async handle({ ownerId, params, etag }, { db, config }) {
    const code = await findCode(db, ownerId, params.id);
    const design = presentDesign(code, await findDesign(db, code.id), config.baseUrl);
    etag(resourceEtag(design));
    return { logo: design.logo };
  },
});

export const replaceQrCodeLogo = operation({
  id: 'replaceQrCodeLogo',
  method: 'put',
  path,
  tag: 'QR codes',
  summary: 'Set the logo of a QR code',
  description:
    'The body is the file: PNG, JPEG, WebP or SVG, up to 1 MB and 10 megapixels. It is drawn in the middle of the code, as large as `logoSize` of the design says, and the modules behind it are left out. What is stored is a PNG of at most 512 pixels. An SVG may consist of filled shapes; export one with text, gradients, outlines or links as PNG. The picture is proven to scan like every design. Where the logo needs more error correction, that of the code is raised, and `proof` says so.',
  params: codeIdParams,
  fileTypes: ['image/png', 'image/jpeg', 'image/webp', 'image/svg+xml'],
  maxBodyBytes: maxLogoBytes,
  success: {
    status: 200,
    description: 'The design with the logo was proven and saved.',
    schema: designShape,
    example: { ...designExample, ...logoExample },
  },
  isVersioned: true,
  async handle(
    { ownerId, caller, params, file, etag, requireMatch },
    { db, config, proofs, imageDecoder, now, codeChanged },
  ) {
    const code = await findCode(db, ownerId, params.id);
    const newLogo = await readLogo(imageDecoder, caller, ownerId, file());
    const stored = await findDesign(db, code.id);
    const design = normalizeDesign({ ...stored?.design, logo: newLogo.id });
    const proven = await proveDesign(proofs, caller, code, design, config.baseUrl, { newLogo });
    const updatedAt = now();
    await saveDesign(db, code.id, proven, updatedAt, (current) =>
      requireMatch(resourceEtag(presentDesign(code, current, config.baseUrl))),
    );
    codeChanged(code.shareToken);
    const saved = presentProven(proven, updatedAt);
    etag(resourceEtag(saved));
    return { ...saved, proof: proven.proof };
  },
});

export const deleteQrCodeLogo = operation({
  id: 'deleteQrCodeLogo',
  method: 'delete',
  path,
  tag: 'QR codes',
  summary: 'Remove the logo of a QR code',
  description: 'The rest of the design stays, and so does the error correction of the code.',
  params: codeIdParams,
  success: { status: 204, description: 'The code has no logo.' },
  isVersioned: true,
  async handle({ ownerId, caller, params, requireMatch }, { db, config, proofs, now, codeChanged }) {
    const code = await findCode(db, ownerId, params.id);
    const present = (current: Awaited<ReturnType<typeof findDesign>>) =>
      resourceEtag(presentDesign(code, current, config.baseUrl));
    const stored = await findDesign(db, code.id);
    if (!stored || stored.design.logo === null) return requireMatch(present(stored));
    const design = { ...stored.design, logo: null };
    const proven = await proveDesign(proofs, caller, code, design, config.baseUrl);
    await saveDesign(db, code.id, proven, now(), (current) => requireMatch(present(current)));
    codeChanged(code.shareToken);
  },
});
