import type { Static } from 'typebox';
import { findCode } from '../../codes/codes.ts';
import { designBody, designFields } from '../../codes/design/design-schema.ts';
import { type Design, defaultDesign, normalizeDesign } from '../../codes/design/design.ts';
import {
  type ProvenDesign,
  type StoredDesign,
  deleteDesign,
  findDesign,
  saveDesign,
} from '../../codes/design/stored-design.ts';
import { readLogo } from '../../codes/files/read-upload.ts';
import { maxLogoBytes } from '../../codes/files/upload.ts';
import { provenPicture } from '../../codes/proof/proofs.ts';
import { describeProof, pictureOf, proveDesign } from '../../codes/proof/prove-design.ts';
import type { QrCode } from '../../codes/qr-code.ts';
import { Type, nullable, timestamp } from '../../schema.ts';
import { operation } from './operation.ts';

const logoField = nullable(
  Type.String({ description: 'Identifies the logo: the same for the same picture. Null without one.' }),
);

/** The logo of a design or a style. */
export const logoShape = Type.Object(
  { logo: logoField },
  { description: 'A logo in the middle of QR codes.' },
);
export const logoExample = { logo: '3xO0VbPzNnCkQYcH7rV0Zr2q4y4k3V5g0Ck5mZ8sW1E' };

/** What is shown of a design, of a code or of a style. */
export const designProperties = {
  ...designFields,
  // Without the bounds of requests: some clients count UTF-16 units.
  frameText: nullable(Type.String({ description: 'Text in the frame, or null.' })),
  logo: logoField,
};

export const designShape = Type.Object(
  {
    ...designProperties,
    readsAtMm: nullable(
      Type.Integer({
        minimum: 1,
        description:
          'The smallest width of the printed picture, in millimeters, at which a phone reads it from 15 cm: 15, 20 or 30. Null without a design, or if the picture has changed since the design was proven, for example with the address of the service.',
      }),
    ),
    proof: nullable(
      Type.String({ description: 'The same as a sentence, with a change that would help, if there is one.' }),
    ),
    updatedAt: nullable(timestamp('When the design was saved. Null without a design.')),
  },
  { description: 'The design of a QR code.' },
);

const designExample: Static<typeof designShape> = {
  ...defaultDesign,
  moduleShape: 'rounded',
  eyeFrameShape: 'rounded',
  frame: 'band',
  frameText: 'Scan me',
  readsAtMm: 15,
  proof: 'Reads at 15 mm from 15 cm.',
  updatedAt: '2026-12-01T08:00:00.000Z',
};

const path = '/qrcodes/{id}/design';

/** As a GET presents it, which does not try what would help. */
function presentProven({ design, readsAtMm }: ProvenDesign, updatedAt: Date): Static<typeof designShape> {
  return { ...design, readsAtMm, proof: describeProof(readsAtMm), updatedAt: updatedAt.toISOString() };
}

/** With its proof, where that still holds. */
export function presentDesign(
  code: QrCode,
  stored: StoredDesign | undefined,
  baseUrl: string,
): Static<typeof designShape> {
  if (!stored) return { ...defaultDesign, readsAtMm: null, proof: null, updatedAt: null };
  const isCurrent = stored.proven === provenPicture(pictureOf(code, stored.design, baseUrl));
  return {
    ...stored.design,
    readsAtMm: isCurrent ? stored.readsAtMm : null,
    proof: isCurrent
      ? describeProof(stored.readsAtMm)
      : 'The code has changed since its design was proven. Save the design again.',
    updatedAt: stored.updatedAt.toISOString(),
  };
}

const logoPath = '/qrcodes/{id}/design/logo';

export const designOperations = [
  operation({
    id: 'readQrCodeDesign',
    method: 'get',
    path,
    scope: 'read',
    summary: 'Read the design of a QR code',
    description:
      'Returns how the code looks, and at which size phones read it. Without a design, the defaults.',
    success: { status: 200, description: 'The design.', schema: designShape, example: designExample },
    isVersioned: true,
    async handle({ workspaceId, id, versioned }, { db, config }) {
      const code = await findCode(db, workspaceId, id);
      const shown = presentDesign(code, await findDesign(db, code.id), config.baseUrl);
      return versioned(shown);
    },
  }),

  operation({
    id: 'replaceQrCodeDesign',
    method: 'put',
    path,
    scope: 'codes',
    summary: 'Set the design of a QR code',
    description:
      'Replaces the whole design except its logo, which has an address of its own. Before it is saved, the picture is proven to scan: it is drawn as if printed 30, 20 and 15 mm wide and photographed from 15 cm, sharp, blurred, rotated, pale and with a dirty spot, and read by two readers. A design that they do not read is refused with the change that would help. The images of the share URL show the design within 10 seconds.',
    body: designBody,
    otherFields: { logo: 'cannot be set here; use PUT /qrcodes/{id}/design/logo' },
    bodyExample: { moduleShape: 'rounded', eyeFrameShape: 'rounded', frame: 'band', frameText: 'Scan me' },
    success: {
      status: 200,
      description: 'The design was proven and saved.',
      schema: designShape,
      example: designExample,
    },
    isVersioned: true,
    async handle(
      { workspaceId, caller, id, body, versioned, requireMatch },
      { db, config, proofs, now, codeChanged },
    ) {
      const code = await findCode(db, workspaceId, id);
      const given = (await body()) as Partial<Design>;
      const logo = (await findDesign(db, code.id))?.design.logo ?? null;
      const proven = await proveDesign(
        proofs,
        caller,
        code,
        normalizeDesign({ ...given, logo }),
        config.baseUrl,
      );
      const updatedAt = now();
      await saveDesign(db, code, proven, updatedAt, (stored) =>
        requireMatch(presentDesign(code, stored, config.baseUrl)),
      );
      codeChanged(code.shareToken);
      const saved = presentProven(proven, updatedAt);
      return { ...versioned(saved), proof: proven.proof };
    },
  }),

  operation({
    id: 'deleteQrCodeDesign',
    method: 'delete',
    path,
    scope: 'codes',
    summary: 'Remove the design of a QR code',
    description:
      'The code gets the default design: square modules in its two colors, without a frame or a logo.',
    success: { status: 204, description: 'The code has the default design.' },
    isVersioned: true,
    async handle({ workspaceId, id, requireMatch }, { db, config, now, codeChanged }) {
      const code = await findCode(db, workspaceId, id);
      await deleteDesign(db, code, now(), (stored) =>
        requireMatch(presentDesign(code, stored, config.baseUrl)),
      );
      codeChanged(code.shareToken);
    },
  }),

  operation({
    id: 'readQrCodeLogo',
    method: 'get',
    path: logoPath,
    scope: 'read',
    summary: 'Read the logo of a QR code',
    description: 'Returns which logo the design has. Its `ETag` is that of the design.',
    success: { status: 200, description: 'The logo, or null.', schema: logoShape, example: logoExample },
    isVersioned: true,
    async handle({ workspaceId, id, versioned }, { db, config }) {
      const code = await findCode(db, workspaceId, id);
      const design = presentDesign(code, await findDesign(db, code.id), config.baseUrl);
      return { logo: versioned(design).logo };
    },
  }),

  operation({
    id: 'replaceQrCodeLogo',
    method: 'put',
    path: logoPath,
    scope: 'codes',
    summary: 'Set the logo of a QR code',
    description:
      'The body is the file: PNG, JPEG, WebP or SVG, up to 1 MB and 10 megapixels. It is drawn in the middle of the code, as large as `logoSize` of the design says, and the modules behind it are left out. What is stored is a PNG of at most 512 pixels. An SVG may consist of filled shapes; export one with text, gradients, outlines or links as PNG. The picture is proven to scan like every design. Where the logo needs more error correction, that of the code is raised, and `proof` says so.',
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
      { workspaceId, caller, id, file, versioned, requireMatch },
      { db, config, proofs, imageDecoder, now, codeChanged },
    ) {
      const code = await findCode(db, workspaceId, id);
      const newLogo = await readLogo(imageDecoder, caller, workspaceId, file());
      const stored = await findDesign(db, code.id);
      const design = normalizeDesign({ ...stored?.design, logo: newLogo.id });
      const proven = await proveDesign(proofs, caller, code, design, config.baseUrl, { newLogo });
      const updatedAt = now();
      await saveDesign(db, code, proven, updatedAt, (current) =>
        requireMatch(presentDesign(code, current, config.baseUrl)),
      );
      codeChanged(code.shareToken);
      const saved = presentProven(proven, updatedAt);
      return { ...versioned(saved), proof: proven.proof };
    },
  }),

  operation({
    id: 'deleteQrCodeLogo',
    method: 'delete',
    path: logoPath,
    scope: 'codes',
    summary: 'Remove the logo of a QR code',
    description: 'The rest of the design stays, and so does the error correction of the code.',
    success: { status: 204, description: 'The code has no logo.' },
    isVersioned: true,
    async handle({ workspaceId, caller, id, requireMatch }, { db, config, proofs, now, codeChanged }) {
      const code = await findCode(db, workspaceId, id);
      const present = (current: Awaited<ReturnType<typeof findDesign>>) =>
        presentDesign(code, current, config.baseUrl);
      const stored = await findDesign(db, code.id);
      if (!stored || stored.design.logo === null) return requireMatch(present(stored));
      const design = { ...stored.design, logo: null };
      const proven = await proveDesign(proofs, caller, code, design, config.baseUrl);
      await saveDesign(db, code, proven, now(), (current) => requireMatch(present(current)));
      codeChanged(code.shareToken);
    },
  }),
];
