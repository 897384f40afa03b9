import type { Static } from 'typebox';
import { findCode } from '../../codes/codes.ts';
import { maxLogoBytes } from '../../codes/files/upload.ts';
import { deletePageLogo, findPageLogo, type PageLogo, savePageLogo } from '../../codes/share-page.ts';
import { Type } from '../../schema.ts';
import { operation } from './operation.ts';
import { resourceEtag } from './preconditions.ts';
import { codeIdParams } from './qr-codes.ts';
import { readLogo } from './read-logo.ts';
import { label, nullable } from './schema-parts.ts';

const path = '/qrcodes/{id}/page/logo';

export const maxAltLength = 200;

export const pageLogoShape = Type.Object(
  {
    logo: nullable(
      Type.String({ description: 'Identifies the logo: the same for the same picture. Null without one.' }),
    ),
    alt: nullable(
      Type.String({ description: 'What it shows, for people who do not see it. Null without one.' }),
    ),
  },
  { description: 'The logo on the share page of a QR code.' },
);

const example: Static<typeof pageLogoShape> = {
  logo: '3xO0VbPzNnCkQYcH7rV0Zr2q4y4k3V5g0Ck5mZ8sW1E',
  alt: 'Café Linden',
};

function present(stored: PageLogo | undefined): Static<typeof pageLogoShape> {
  return { logo: stored?.logo ?? null, alt: stored?.alt ?? null };
}

export const readQrCodePageLogo = operation({
  id: 'readQrCodePageLogo',
  method: 'get',
  path,
  tag: 'QR codes',
  summary: 'Read the logo of the share page',
  description: 'Returns which logo the page shows that a scan opens. Redirects show no page.',
  params: codeIdParams,
  success: { status: 200, description: 'The logo.', schema: pageLogoShape, example },
  isVersioned: true,
  async handle({ ownerId, params, etag }, { db }) {
    const code = await findCode(db, ownerId, params.id);
    const shown = present(await findPageLogo(db, code.id));
    etag(resourceEtag(shown));
    return shown;
  },
});

export const replaceQrCodePageLogo = operation({
  id: 'replaceQrCodePageLogo',
  method: 'put',
  path,
  tag: 'QR codes',
  summary: 'Set the logo of the share page',
  description:
    'The body is the file, like that of `PUT /qrcodes/{id}/design/logo`. The page shows it above the title. Scans see the change within 10 seconds.',
  params: codeIdParams,
  query: Type.Object({
    alt: label(
      'What the logo shows, for people who do not see it: usually the name of its owner.',
      maxAltLength,
    ),
  }),
  queryExample: { alt: 'Café Linden' },
  fileTypes: ['image/png', 'image/jpeg', 'image/webp', 'image/svg+xml'],
  maxBodyBytes: maxLogoBytes,
  success: { status: 200, description: 'The logo was saved.', schema: pageLogoShape, example },
  isVersioned: true,
  async handle(
    { ownerId, caller, params, query, file, etag, requireMatch },
    { db, imageDecoder, now, codeChanged },
  ) {
    const code = await findCode(db, ownerId, params.id);
    const newLogo = await readLogo(imageDecoder, caller, ownerId, file());
    const saved = await savePageLogo(db, code, { newLogo, alt: query.alt }, now(), (stored) =>
      requireMatch(resourceEtag(present(stored))),
    );
    codeChanged(code.shareToken);
    etag(resourceEtag(saved));
    return saved;
  },
});

export const deleteQrCodePageLogo = operation({
  id: 'deleteQrCodePageLogo',
  method: 'delete',
  path,
  tag: 'QR codes',
  summary: 'Remove the logo of the share page',
  description: 'Scans see the change within 10 seconds.',
  params: codeIdParams,
  success: { status: 204, description: 'The page has no logo.' },
  isVersioned: true,
  async handle({ ownerId, params, requireMatch }, { db, now, codeChanged }) {
    const code = await findCode(db, ownerId, params.id);
    await deletePageLogo(db, code.id, now(), (stored) => requireMatch(resourceEtag(present(stored))));
    codeChanged(code.shareToken);
  },
});
