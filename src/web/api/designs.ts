import type { Static } from 'typebox';
import { findCode } from '../../codes/codes.ts';
import { type Design, defaultDesign, normalizeDesign } from '../../codes/design/design.ts';
import {
  deleteDesign,
  findDesign,
  type ProvenDesign,
  saveDesign,
  type StoredDesign,
} from '../../codes/design/stored-design.ts';
import { provenPicture } from '../../codes/proof/proofs.ts';
import type { QrCode } from '../../codes/qr-code.ts';
import { designBody, designExample, designShape } from './design-shapes.ts';
import { operation } from './operation.ts';
import { resourceEtag } from './preconditions.ts';
import { describeProof, pictureOf, proveDesign } from '../../codes/proof/prove-design.ts';
import { codeIdParams } from './qr-codes.ts';

const path = '/qrcodes/{id}/design';

export const readQrCodeDesign = operation({
  id: 'readQrCodeDesign',
  method: 'get',
  path,
  tag: 'QR codes',
  summary: 'Read the design of a QR code',
  description:
    'Returns how the code looks, and at which size phones read it. Without a design, the defaults.',
  params: codeIdParams,
  success: { status: 200, description: 'The design.', schema: designShape, example: designExample },
  isVersioned: true,
  async handle({ ownerId, params, etag }, { db, config }) {
    const code = await findCode(db, ownerId, params.id);
    const shown = presentDesign(code, await findDesign(db, code.id), config.baseUrl);
    etag(resourceEtag(shown));
    return shown;
  },
});

export const replaceQrCodeDesign = operation({
  id: 'replaceQrCodeDesign',
  method: 'put',
  path,
  tag: 'QR codes',
  summary: 'Set the design of a QR code',
  description:
    'Replaces the whole design except its logo, which has an address of its own. Before it is saved, the picture is proven to scan: it is drawn as if printed 30, 20 and 15 mm wide and photographed from 15 cm, sharp, blurred, rotated, pale and with a dirty spot, and read by two readers. A design that they do not read is refused with the change that would help. The images of the share URL show the design within 10 seconds.',
  params: codeIdParams,
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
    { ownerId, caller, params, body, etag, requireMatch },
    { db, config, proofs, now, codeChanged },
  ) {
    const code = await findCode(db, ownerId, params.id);
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
    await saveDesign(db, code.id, proven, updatedAt, (stored) =>
      requireMatch(resourceEtag(presentDesign(code, stored, config.baseUrl))),
    );
    codeChanged(code.shareToken);
    const saved = presentProven(proven, updatedAt);
    etag(resourceEtag(saved));
    return { ...saved, proof: proven.proof };
  },
});

export const deleteQrCodeDesign = operation({
  id: 'deleteQrCodeDesign',
  method: 'delete',
  path,
  tag: 'QR codes',
  summary: 'Remove the design of a QR code',
  description:
    'The code gets the default design: square modules in its two colors, without a frame or a logo.',
  params: codeIdParams,
  success: { status: 204, description: 'The code has the default design.' },
  isVersioned: true,
  async handle({ ownerId, params, requireMatch }, { db, config, now, codeChanged }) {
    const code = await findCode(db, ownerId, params.id);
    await deleteDesign(db, code.id, now(), (stored) =>
      requireMatch(resourceEtag(presentDesign(code, stored, config.baseUrl))),
    );
    codeChanged(code.shareToken);
  },
});

/** As a GET presents it, which does not try what would help. */
export function presentProven(
  { design, readsAtMm }: ProvenDesign,
  updatedAt: Date,
): Static<typeof designShape> {
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
