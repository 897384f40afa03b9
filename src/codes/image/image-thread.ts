import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { type Caller, createFairScheduler } from '../../runtime/fair-scheduler.ts';
import type { Log } from '../../telemetry/log.ts';
import { type Design, defaultDesign, isDefaultDesign } from '../design/design.ts';
import { openThread } from '../../runtime/thread.ts';
import type { Picture } from './draw.ts';
import type { ImageFormat } from './draw-picture.ts';
import type { DrawRequest } from './image-thread-main.ts';

export type { ImageFormat };

export const contentTypes: Record<ImageFormat, string> = {
  svg: 'image/svg+xml; charset=utf-8',
  png: 'image/png',
  pdf: 'application/pdf',
};

/** For a picture with a logo that is opened directly. In an SVG, the logo is a `data:` URL. */
export const logoPolicy = "default-src 'none'; img-src data:";

export interface Image {
  body: Buffer;
  etag: string;
}

export interface Images {
  /** Rejects where too many wait, or where the thread has ended. */
  draw(caller: Caller, picture: Picture, format: ImageFormat): Promise<Image>;
  close(): Promise<void>;
}

/** Part of every ETag. Raise it when the drawing changes. */
const drawingVersion = 1;
/** Likewise, for what only pictures with a design, and PDFs, depend on. */
const designVersion = 1;
const pdfVersion = 2;
const defaultCacheBytes = 32 * 1024 * 1024;
/** The approximate overhead of an entry. */
const entryBytes = 512;
/** An address may be that of an office, or of an embedding page with many pictures. */
const defaultWaitingPerKey = 50;
const maxWaiting = 400;

/** Draws in a separate thread, so that no redirect waits for an image. Callers take turns. */
export async function openImages(
  log: Log,
  { cacheBytes = defaultCacheBytes, waitingPerKey = defaultWaitingPerKey } = {},
): Promise<Images> {
  const thread = await openThread<DrawRequest>({
    file: new URL('image-thread-main.js', import.meta.url),
    data: undefined,
    name: 'image',
    log,
  });
  const cache = new LRUCache<string, Image>({
    maxSize: cacheBytes,
    sizeCalculation: ({ body }) => body.length + entryBytes,
  });
  const turns = createFairScheduler({
    // One is drawn, the next one is on its way to the thread.
    slots: 2,
    waitingPerKey,
    waiting: maxWaiting,
    message: 'The picture cannot be drawn right now. Try again shortly.',
  });

  async function drawInThread(request: DrawRequest, etag: string): Promise<Image> {
    const bytes = (await thread.call(request)) as Uint8Array;
    const image = { body: Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength), etag };
    cache.set(etag, image);
    return image;
  }

  return {
    async draw(caller, picture, format) {
      const etag = imageEtag(picture, format);
      // Looked for again at its turn. Nobody waits for a drawing in the turns of others.
      const known = () => cache.get(etag);
      return known() ?? turns.run(caller, async () => known() ?? drawInThread({ picture, format }, etag));
    },
    close: () => thread.end(),
  };
}

/** Only what is not the default, so that a field which is added later changes no ETag, and no proof becomes stale. */
function differences(design: Design): [string, unknown][] {
  return Object.entries(design).filter(([name, value]) => value !== defaultDesign[name as keyof Design]);
}

/** Known without drawing, and the same in every process. */
export function imageEtag(picture: Picture, format: ImageFormat): string {
  const {
    text,
    errorCorrection,
    size,
    foregroundColor,
    backgroundColor,
    design = defaultDesign,
    print,
  } = picture;
  const parts: unknown[] = [
    drawingVersion,
    format,
    errorCorrection,
    size,
    foregroundColor,
    backgroundColor,
    text,
  ];
  if (!isDefaultDesign(design)) parts.push(designVersion, differences(design));
  if (format === 'pdf') parts.push(pdfVersion, print);
  return `"${createHash('sha256').update(JSON.stringify(parts)).digest('base64url')}"`;
}
