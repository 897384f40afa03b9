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

/** Content-Security-Policy of an SVG with a logo, which is a `data:` URL. */
export const logoPolicy = "default-src 'none'; img-src data:";

export interface Image {
  body: Buffer;
  etag: string;
}

export interface Images {
  /** Rejects if too many calls wait or the thread has exited. */
  draw(caller: Caller, picture: Picture, format: ImageFormat): Promise<Image>;
  /** The first character of a frame text that no font has. Rejects as above. */
  findUndrawable(caller: Caller, text: string): Promise<string | null>;
  close(): Promise<void>;
}

/** Part of every ETag. Raise it when the drawing changes. */
const drawingVersion = 1;
/** The same for pictures with a design, and for PDFs. */
const designVersion = 1;
const pdfVersion = 2;
const defaultCacheBytes = 32 * 1024 * 1024;
/** The approximate overhead of an entry. */
const entryBytes = 512;
/** Allows for an office behind one address, and for pages with many pictures. */
const defaultWaitingPerKey = 50;
const maxWaiting = 400;

/** Most texts: no thread has to be asked. */
const isAlwaysDrawn = /^[\u0020-\u007e\u00a1-\u00ac\u00ae-\u017f]*$/;

/** Draws in a separate thread, so that no redirect waits for an image. Callers take turns. */
export async function openImages(
  log: Log,
  {
    cacheBytes = defaultCacheBytes,
    waitingPerKey = defaultWaitingPerKey,
    callTimeoutMs = 30_000,
    hangLimitMs = 30_000,
    maxWaitMs = 30_000,
  } = {},
): Promise<Images> {
  const thread = await openThread<DrawRequest>({
    file: new URL('image-thread-main.js', import.meta.url),
    data: undefined,
    name: 'image',
    log,
    callTimeoutMs,
    hangLimitMs,
  });
  const cache = new LRUCache<string, Image>({
    maxSize: cacheBytes,
    sizeCalculation: ({ body }) => body.length + entryBytes,
  });
  const turns = createFairScheduler({
    // While one is drawn, the next one is sent to the thread.
    slots: 2,
    waitingPerKey,
    waiting: maxWaiting,
    maxWaitMs,
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
      // Checked again when it is the caller's turn, because another caller may have drawn it.
      const known = () => cache.get(etag);
      return known() ?? turns.run(caller, async () => known() ?? drawInThread({ picture, format }, etag));
    },
    async findUndrawable(caller, text) {
      if (isAlwaysDrawn.test(text)) return null;
      return turns.run(caller, async () => (await thread.call({ drawn: text })) as string | null);
    },
    close: () => thread.end(),
  };
}

/** Only fields that differ from the default: a new field must not change ETags or make proofs stale. */
function differences(design: Design): [string, unknown][] {
  return Object.entries(design).filter(([name, value]) => value !== defaultDesign[name as keyof Design]);
}

/** Known without drawing, and the same in every process. */
export function imageEtag(picture: Picture, format: ImageFormat): string {
  const { design = defaultDesign, print } = picture;
  const parts: unknown[] = [
    drawingVersion,
    format,
    picture.errorCorrection,
    picture.size,
    picture.foregroundColor,
    picture.backgroundColor,
    picture.text,
  ];
  if (!isDefaultDesign(design)) parts.push(designVersion, differences(design));
  if (format === 'pdf') parts.push(pdfVersion, print);
  return `"${createHash('sha256').update(JSON.stringify(parts)).digest('base64url')}"`;
}
