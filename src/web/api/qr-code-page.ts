import type { Static } from 'typebox';
import { maxAltLength, pageBody, pageDescriptions } from '../../codes/code-rules.ts';
import { changeCode, findCode } from '../../codes/codes.ts';
import { readLogo } from '../../codes/files/read-upload.ts';
import { maxLogoBytes } from '../../codes/files/upload.ts';
import {
  type PageLogo,
  deletePageLogo,
  findPageLogo,
  pageLookChanges,
  pageLookOf,
  savePageLogo,
} from '../../codes/share-page.ts';
import { Type, color, label, nullable } from '../../schema.ts';
import { operation } from './operation.ts';

export const pageShape = Type.Object(
  {
    title: nullable(Type.String({ description: pageDescriptions.title })),
    text: nullable(Type.String({ description: pageDescriptions.text })),
    color: nullable(color(pageDescriptions.color)),
    showsName: Type.Boolean({ description: pageDescriptions.showsName }),
  },
  { description: 'How the share page of a QR code looks.' },
);

const example: Static<typeof pageShape> = {
  title: 'Café Linden',
  text: 'Open daily from 8 to 18',
  color: '#7a1f3d',
  showsName: true,
};

const logoPath = '/qrcodes/{id}/page/logo';

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

const logoExample: Static<typeof pageLogoShape> = {
  logo: '3xO0VbPzNnCkQYcH7rV0Zr2q4y4k3V5g0Ck5mZ8sW1E',
  alt: 'Café Linden',
};

function presentPageLogo(stored: PageLogo | undefined): Static<typeof pageLogoShape> {
  return { logo: stored?.logo ?? null, alt: stored?.alt ?? null };
}

export const pageOperations = [
  operation({
    id: 'readQrCodePage',
    method: 'get',
    path: '/qrcodes/{id}/page',
    scope: 'read',
    summary: 'Read how the share page looks',
    description:
      'Returns the title, the line and the color of the page that a scan opens. Redirects show no page.',
    success: { status: 200, description: 'How the page looks.', schema: pageShape, example },
    isVersioned: true,
    async handle({ workspaceId, id, versioned }, { db }) {
      const look = pageLookOf(await findCode(db, workspaceId, id));
      return versioned(look);
    },
  }),

  operation({
    id: 'updateQrCodePage',
    method: 'patch',
    path: '/qrcodes/{id}/page',
    scope: 'codes',
    summary: 'Change how the share page looks',
    description: 'Send only the fields that you want to change. Scans see the change within 10 seconds.',
    body: pageBody,
    bodyExample: { title: 'Café Linden', color: '#7a1f3d' },
    success: { status: 200, description: 'How the page looks after the change.', schema: pageShape, example },
    isVersioned: true,
    async handle({ workspaceId, id, body, versioned, requireMatch }, { db, now, codeChanged }) {
      const changed = await changeCode(
        db,
        workspaceId,
        id,
        async (code) => {
          const given = await body();
          requireMatch(pageLookOf(code));
          return pageLookChanges(given);
        },
        now(),
      );
      codeChanged(changed.shareToken);
      const look = pageLookOf(changed);
      return versioned(look);
    },
  }),
];

export const pageLogoOperations = [
  operation({
    id: 'readQrCodePageLogo',
    method: 'get',
    path: logoPath,
    scope: 'read',
    summary: 'Read the logo of the share page',
    description: 'Returns which logo the page shows that a scan opens. Redirects show no page.',
    success: { status: 200, description: 'The logo.', schema: pageLogoShape, example: logoExample },
    isVersioned: true,
    async handle({ workspaceId, id, versioned }, { db }) {
      const code = await findCode(db, workspaceId, id);
      const shown = presentPageLogo(await findPageLogo(db, code.id));
      return versioned(shown);
    },
  }),

  operation({
    id: 'replaceQrCodePageLogo',
    method: 'put',
    path: logoPath,
    scope: 'codes',
    summary: 'Set the logo of the share page',
    description:
      'The body is the file, like that of `PUT /qrcodes/{id}/design/logo`. The page shows it above the title. Scans see the change within 10 seconds.',
    query: Type.Object({
      alt: label(
        'What the logo shows, for people who do not see it: usually the name of its owner.',
        maxAltLength,
      ),
    }),
    queryExample: { alt: 'Café Linden' },
    fileTypes: ['image/png', 'image/jpeg', 'image/webp', 'image/svg+xml'],
    maxBodyBytes: maxLogoBytes,
    success: { status: 200, description: 'The logo was saved.', schema: pageLogoShape, example: logoExample },
    isVersioned: true,
    async handle(
      { workspaceId, caller, id, query, file, versioned, requireMatch },
      { db, imageDecoder, now, codeChanged },
    ) {
      const code = await findCode(db, workspaceId, id);
      const newLogo = await readLogo(imageDecoder, caller, workspaceId, file());
      const saved = await savePageLogo(db, code, { newLogo, alt: query.alt }, now(), (stored) =>
        requireMatch(presentPageLogo(stored)),
      );
      codeChanged(code.shareToken);
      return versioned(saved);
    },
  }),

  operation({
    id: 'deleteQrCodePageLogo',
    method: 'delete',
    path: logoPath,
    scope: 'codes',
    summary: 'Remove the logo of the share page',
    description: 'Scans see the change within 10 seconds.',
    success: { status: 204, description: 'The page has no logo.' },
    isVersioned: true,
    async handle({ workspaceId, id, requireMatch }, { db, now, codeChanged }) {
      const code = await findCode(db, workspaceId, id);
      await deletePageLogo(db, code, now(), (stored) => requireMatch(presentPageLogo(stored)));
      codeChanged(code.shareToken);
    },
  }),
];
