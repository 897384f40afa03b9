import { parseContent } from '../../../codes/content/parse-content.ts';
import { readWholeFile } from '../../../codes/files/stored-file.ts';
import { fitsSymbol } from '../../../codes/image/symbol.ts';
import { findPageLogo, type PreviewPictures } from '../../../codes/share-page.ts';
import type { CodeType, QrCode } from '../../../codes/qr-code.ts';
import type { Caller } from '../../../runtime/fair-scheduler.ts';
import { createDefaults } from '../../../codes/code-rules.ts';
import type { PageParts } from '../../ui/page.ts';

type Parts = Pick<PageParts, 'db' | 'images' | 'logos'>;

/** What the share page of a code shows beside its text. A new code has none but the one that it is. */
export async function previewPictures(
  { db, images, logos }: Parts,
  caller: Caller,
  { type, content }: { type: CodeType; content: string },
  code: QrCode | undefined,
): Promise<PreviewPictures> {
  return {
    join: type === 'wifi' ? await drawJoinPicture(images, caller, content) : undefined,
    // Another type has no photo, and would lose it when it is saved.
    photo: code?.type === 'vcard' && type === 'vcard' ? await readPhoto(db, code.id) : undefined,
    logo: code && (await readLogo({ db, logos }, code.id)),
  };
}

async function drawJoinPicture(
  images: Parts['images'],
  caller: Caller,
  content: string,
): Promise<string | undefined> {
  const { errorCorrection, foregroundColor, backgroundColor } = createDefaults;
  // The length first: longer content is not parsed.
  if (!fitsSymbol(content, errorCorrection) || parseContent('wifi', content).kind !== 'wifi')
    return undefined;
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
