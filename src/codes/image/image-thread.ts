import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Log } from '../../telemetry/log.ts';
import { openThread } from '../../runtime/thread.ts';
import type { Picture } from './draw.ts';
import type { ImageFormat, ImageQuestion } from './image-thread-main.ts';

export type { ImageFormat };

export const contentTypes: Record<ImageFormat, string> = {
  svg: 'image/svg+xml; charset=utf-8',
  png: 'image/png',
};

export interface Image {
  body: Buffer;
  etag: string;
}

export interface Images {
  /** Rejects where too many wait already, or where the thread has ended. */
  draw(picture: Picture, format: ImageFormat): Promise<Image>;
  close(): Promise<void>;
}

/** To be raised when the same picture is drawn another way: it is in every ETag. */
const drawingVersion = 1;
const cacheBytes = 32 * 1024 * 1024;
/** What an entry takes besides its body, roughly. */
const entryBytes = 512;
const mostWaiting = 200;

/** Draws in a thread of its own, so that no redirect waits for a picture. */
export async function openImages(log: Log): Promise<Images> {
  const thread = await openThread<ImageQuestion, string>({
    file: new URL('image-thread-main.js', import.meta.url),
    data: undefined,
    name: 'image',
    log,
  });
  const drawn = new LRUCache<string, Image>({
    maxSize: cacheBytes,
    sizeCalculation: ({ body }) => body.length + entryBytes,
  });
  const underWay = new Map<string, Promise<Image>>();

  async function ask(question: ImageQuestion, etag: string): Promise<Image> {
    const bytes = (await thread.call(question)) as Uint8Array;
    const image = { body: Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength), etag };
    drawn.set(etag, image);
    return image;
  }

  return {
    async draw(picture, format) {
      const etag = imageEtag(picture, format);
      const known = drawn.get(etag) ?? underWay.get(etag);
      if (known) return known;
      if (underWay.size >= mostWaiting) throw new Error('Too many pictures wait to be drawn');
      const asked = ask({ picture, format }, etag).finally(() => underWay.delete(etag));
      underWay.set(etag, asked);
      return asked;
    },
    close: () => thread.end(),
  };
}

/** Told without drawing, and the same in every process. */
export function imageEtag(picture: Picture, format: ImageFormat): string {
  const { text, errorCorrection, size, foregroundColor, backgroundColor } = picture;
  const whole = [drawingVersion, format, errorCorrection, size, foregroundColor, backgroundColor, text];
  return `"${createHash('sha256').update(JSON.stringify(whole)).digest('base64url')}"`;
}
