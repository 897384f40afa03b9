import { handleRequests, signalReady } from '../../runtime/inside-thread.ts';
import { lowerThreadPriority } from '../../runtime/thread-cpu.ts';
import type { PageRequest } from '../print/label-page.ts';
import type { Picture } from './draw.ts';
import { type ImageFormat, drawPicture } from './draw-picture.ts';

lowerThreadPriority();

export type DrawRequest = { picture: Picture; format: ImageFormat } | { page: PageRequest };

signalReady();

handleRequests<DrawRequest>(async (request) => {
  // A copy: a Buffer may share its memory with others.
  if ('picture' in request) return new Uint8Array(await drawPicture(request.picture, request.format));
  // With the fonts, which few threads need.
  const { drawPage } = await import('../print/label-page.ts');
  return drawPage(request.page);
});
