import { createHash } from 'node:crypto';
import type { Context } from 'koa';
import { findCode } from '../../../codes/codes.ts';
import { type CodeType, contentType, parseContent } from '../../../codes/content/content-types.ts';
import { readWholeFile } from '../../../codes/files/stored-file.ts';
import { fitsSymbol } from '../../../codes/image/symbol.ts';
import { type PreviewPictures, type SharePreview, findPageLogo } from '../../../codes/share-page.ts';
import type { QrCode } from '../../../codes/qr-code.ts';
import type { Caller } from '../../../runtime/fair-scheduler.ts';
import { createDefaults } from '../../../codes/code-rules.ts';
import { callerOf } from '../../middleware/caller.ts';
import { field } from '../../middleware/forms.ts';
import { type Routes, createRoutes } from '../../routes.ts';
import type { Services } from '../../services.ts';
import { show } from '../../ui/page.ts';
import { workspaceIdOf } from '../../middleware/session.ts';
import { type FormInput, contentOf, pageBodyOf, readForm } from './form-body.ts';
import { PhonePreview } from './preview-card.tsx';

/**
 * For the style of previews. The form and the previews that its script requests later have the same CSRF token, and so the
 * same nonce.
 */
export function previewNonce(csrfToken: string): string {
  return createHash('sha256').update(`preview ${csrfToken}`).digest('base64url');
}

/** For pictures that are chosen and not sent: preview.browser.js puts them there. */
const chosenPictures = { photo: 'data:,photo', pageLogo: 'data:,pageLogo' };

function isChosen(ctx: Context, name: keyof typeof chosenPictures): boolean {
  return field(ctx, 'chosen').split(' ', 10).includes(name);
}

/** What a scan of the form's code would show. A new code is not stored yet. */
export async function formPreview(
  ctx: Context,
  parts: Services,
  { type, values, isRaw }: FormInput,
  { csrfToken, code }: { csrfToken: string; code: QrCode | undefined },
): Promise<SharePreview> {
  const content = contentOf(type, values, isRaw);
  return parts.previewShare({
    // As people who scan see it: without the name that only its owner sees.
    name: values['showsName'] === 'on' ? values['name']?.trim() || contentType(type).name : '',
    type,
    content,
    look: pageBodyOf(values),
    acceptLanguage: ctx.get('Accept-Language'),
    styleNonce: previewNonce(csrfToken),
    pictures: {
      ...(await previewPictures(parts, callerOf(ctx), { type, content }, code)),
      ...newPictures(ctx),
    },
  });
}

/** Those that the form of a new code brings with it. */
function newPictures(ctx: Context): Pick<PreviewPictures, 'photo' | 'logo'> {
  const alt = field(ctx, 'pageLogoAlt').trim() || field(ctx, 'pageTitle').trim() || 'Logo';
  return {
    ...(isChosen(ctx, 'photo') && { photo: chosenPictures.photo }),
    ...(isChosen(ctx, 'pageLogo') && { logo: { src: chosenPictures.pageLogo, alt } }),
  };
}

type Parts = Pick<Services, 'db' | 'images' | 'logos'>;

/** The pictures on the share page. A new code has only the picture of its content. */
async function previewPictures(
  { db, images, logos }: Parts,
  caller: Caller,
  { type, content }: { type: CodeType; content: string },
  code: QrCode | undefined,
): Promise<PreviewPictures> {
  return {
    join: contentType(type).shown?.direct && (await drawContent(images, caller, type, content)),
    // Another type has no photo, and would lose it when it is saved.
    photo: code?.type === 'vcard' && type === 'vcard' ? await readPhoto(db, code.id) : undefined,
    logo: code && (await readLogo({ db, logos }, code.id)),
  };
}

async function drawContent(
  images: Parts['images'],
  caller: Caller,
  type: CodeType,
  content: string,
): Promise<string | undefined> {
  const { errorCorrection, foregroundColor, backgroundColor } = createDefaults;
  // The length first: longer content is not parsed.
  const isParsed = fitsSymbol(content, errorCorrection) && parseContent(type, content).kind !== 'text';
  if (!isParsed) return undefined;
  const picture = { text: content, size: 256, errorCorrection, foregroundColor, backgroundColor };
  // Without the picture, the rest of the preview is still worth showing.
  const drawn = await images.draw(caller, picture, 'svg').catch(() => undefined);
  return drawn && dataUrl('image/svg+xml', Buffer.from(drawn.body));
}

async function readPhoto(db: Parts['db'], codeId: string): Promise<string | undefined> {
  const file = await readWholeFile(db, codeId);
  return file?.kind === 'photo' ? dataUrl(file.mediaType, Buffer.concat(file.chunks)) : undefined;
}

async function readLogo({ db, logos }: Pick<Parts, 'db' | 'logos'>, codeId: string) {
  const stored = await findPageLogo(db, codeId);
  const png = stored && (await logos.find(stored.logo));
  return png && { src: dataUrl('image/png', Buffer.from(png)), alt: stored.alt };
}

const dataUrl = (mediaType: string, bytes: Buffer) => `data:${mediaType};base64,${bytes.toString('base64')}`;

/** The preview of a form that is being filled in. Posted, because addresses end up in histories and logs. */
export function codePreviewRoutes(parts: Services): Routes {
  const routes = createRoutes('/codes');

  routes.post('editor or demo', '/preview', async (ctx) => {
    const id = field(ctx, 'code');
    const code = id === '' ? undefined : await findCode(parts.db, workspaceIdOf(ctx), id);
    const csrfToken = field(ctx, 'csrfToken');
    show(ctx, PhonePreview, { shown: await formPreview(ctx, parts, readForm(ctx), { csrfToken, code }) });
  });
  return routes;
}
