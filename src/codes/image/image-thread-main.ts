import { constants, setPriority } from 'node:os';
import { handleRequests, signalReady } from '../../runtime/inside-thread.ts';
import type { Picture } from './draw.ts';
import { drawPicture, type ImageFormat } from './draw-picture.ts';

// A redirect must not wait for an image. On Linux this sets the priority of the calling thread, elsewhere of the process.
if (process.platform === 'linux') setPriority(constants.priority.PRIORITY_LOW);

export interface ImageRequest {
  picture: Picture;
  format: ImageFormat;
}

signalReady();

// A copy: a Buffer may share its memory with others.
handleRequests<ImageRequest>(
  async ({ picture, format }) => new Uint8Array(await drawPicture(picture, format)),
);
