import type { Static } from 'typebox';
import { changeCode, findCode } from '../../codes/codes.ts';
import { pageLookChanges, pageLookOf } from '../../codes/share-page.ts';
import { Type } from '../../schema.ts';
import { operation } from './operation.ts';
import { resourceEtag } from './preconditions.ts';
import { codeIdParams } from './qr-codes.ts';
import { closed, color, label, nullable } from './schema-parts.ts';

export const maxPageTextLength = 200;

const descriptions = {
  title:
    'Shown to people who scan, instead of `name`. Null: the name, or the name of the person in a contact.',
  text: 'A line below the title, or null.',
  color:
    'The color of buttons and links on the page, or null. It is made darker or lighter where it would be hard to read.',
};

export const pageBody = Type.Partial(
  Type.Object({
    title: nullable(label(descriptions.title)),
    text: nullable(label(descriptions.text, maxPageTextLength)),
    color: nullable(color(descriptions.color)),
  }),
  { ...closed, description: 'The fields to change. Omitted fields are not changed.' },
);

export const pageShape = Type.Object(
  {
    title: nullable(Type.String({ description: descriptions.title })),
    text: nullable(Type.String({ description: descriptions.text })),
    color: nullable(color(descriptions.color)),
  },
  { description: 'How the share page of a QR code looks.' },
);

const example: Static<typeof pageShape> = {
  title: 'Café Linden',
  text: 'Open daily from 8 to 18',
  color: '#7a1f3d',
};

export const readQrCodePage = operation({
  id: 'readQrCodePage',
  method: 'get',
  path: '/qrcodes/{id}/page',
  tag: 'QR codes',
  summary: 'Read how the share page looks',
  description: 'Returns the title, line and color of the page that a scan opens. Redirects show no page.',
  params: codeIdParams,
  success: { status: 200, description: 'How the page looks.', schema: pageShape, example },
  isVersioned: true,
  async handle({ ownerId, params, etag }, { db }) {
    const look = pageLookOf(await findCode(db, ownerId, params.id));
    etag(resourceEtag(look));
    return look;
  },
});

export const updateQrCodePage = operation({
  id: 'updateQrCodePage',
  method: 'patch',
  path: '/qrcodes/{id}/page',
  tag: 'QR codes',
  summary: 'Change how the share page looks',
  description: 'Send only the fields that you want to change. Scans see the change within 10 seconds.',
  params: codeIdParams,
  body: pageBody,
  bodyExample: { title: 'Café Linden', color: '#7a1f3d' },
  success: { status: 200, description: 'How the page looks after the change.', schema: pageShape, example },
  isVersioned: true,
  async handle({ ownerId, params, body, etag, requireMatch }, { db, now, codeChanged }) {
    const changed = await changeCode(
      db,
      ownerId,
      params.id,
      async (code) => {
        const given = await body();
        requireMatch(resourceEtag(pageLookOf(code)));
        return pageLookChanges(given);
      },
      now(),
    );
    codeChanged(changed.shareToken);
    const look = pageLookOf(changed);
    etag(resourceEtag(look));
    return look;
  },
});
