import { handleRequests, signalReady } from '../../runtime/inside-thread.ts';
import { lowerThreadPriority } from '../../runtime/thread-cpu.ts';
import type { PageRequest } from '../print/label-page.ts';
import type { Picture } from './draw.ts';
import { type ImageFormat, drawPicture } from './draw-picture.ts';

lowerThreadPriority();

export type DrawRequest = { picture: Picture; format: ImageFormat } | { page: PageRequest };

signalReady();

handleRequests<DrawRequest>(async (request) => {
  // Copied, because a Buffer may share its memory.
  if ('picture' in request) return new Uint8Array(await drawPicture(request.picture, request.format));
  // Loads the fonts, which only printing needs.
  const { drawPage } = await import('../print/label-page.ts');
  return drawPage(request.page);
});
