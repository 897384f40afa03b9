import { handleRequests, signalReady } from '../../runtime/inside-thread.ts';
import { lowerThreadPriority } from '../../runtime/thread-cpu.ts';
import type { Picture } from './draw.ts';
import { drawPicture, type ImageFormat } from './draw-picture.ts';

lowerThreadPriority();

export interface ImageRequest {
  picture: Picture;
  format: ImageFormat;
}

signalReady();

// A copy: a Buffer may share its memory with others.
handleRequests<ImageRequest>(
  async ({ picture, format }) => new Uint8Array(await drawPicture(picture, format)),
);
