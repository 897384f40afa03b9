import { constants, setPriority } from 'node:os';
import { handleRequests, emitEvent } from '../../runtime/inside-thread.ts';
import { drawPng, drawSvg, type Picture } from './draw.ts';

// A picture can wait, a redirect cannot. Linux takes this for the calling thread alone; elsewhere it would be the process.
if (process.platform === 'linux') setPriority(constants.priority.PRIORITY_LOW);

export interface ImageQuestion {
  picture: Picture;
  format: ImageFormat;
}

export type ImageFormat = 'svg' | 'png';

emitEvent('ready');

handleRequests<ImageQuestion>(async ({ picture, format }) =>
  // A copy of its own: what a Buffer shares with others would be handed over with it.
  format === 'svg' ? new TextEncoder().encode(drawSvg(picture)) : new Uint8Array(drawPng(picture)),
);
