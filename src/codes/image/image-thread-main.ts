import { handleRequests, signalReady } from '../../runtime/inside-thread.ts';
import { lowerThreadPriority } from '../../runtime/thread-cpu.ts';
import type { PageRequest } from '../print/label-page.ts';
import type { DocumentGlyph } from '../text/pdf-text.ts';
import type { Picture } from './draw.ts';
import { type ImageFormat, drawPicture } from './draw-picture.ts';

lowerThreadPriority();

export type DrawRequest =
  | { picture: Picture; format: ImageFormat }
  | { drawn: string }
  | { page: PageRequest }
  | { fontGlyphs: DocumentGlyph[] };

signalReady();

handleRequests<DrawRequest>(async (request) => {
  // Copied, because a Buffer may share its memory.
  if ('picture' in request) return new Uint8Array(await drawPicture(request.picture, request.format));
  // All load the fonts, which only texts need.
  if ('drawn' in request) {
    const { findUndrawable } = await import('../design/text-outline.ts');
    return (await findUndrawable(request.drawn)) ?? null;
  }
  if ('fontGlyphs' in request) return (await import('../text/pdf-text.ts')).composeFont(request.fontGlyphs);
  const { drawPage } = await import('../print/label-page.ts');
  return drawPage(request.page);
});
