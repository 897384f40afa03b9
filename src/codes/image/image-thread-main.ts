import { constants, setPriority } from 'node:os';
import { handleRequests, signalReady } from '../../runtime/inside-thread.ts';
import { drawPng, drawSvg, type Picture } from './draw.ts';

// A redirect must not wait for an image. On Linux this sets the priority of the calling thread, elsewhere of the process.
if (process.platform === 'linux') setPriority(constants.priority.PRIORITY_LOW);

export interface ImageRequest {
  picture: Picture;
  format: ImageFormat;
}

export type ImageFormat = 'svg' | 'png';

signalReady();

handleRequests<ImageRequest>(async ({ picture, format }) =>
  // A copy: a Buffer may share its memory with others.
  format === 'svg' ? new TextEncoder().encode(drawSvg(picture)) : new Uint8Array(drawPng(picture)),
);
