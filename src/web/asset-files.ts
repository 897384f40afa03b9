import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { sep } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import type { Middleware } from 'koa';

const folder = new URL('./', import.meta.url);
/** Browser scripts have a suffix of their own: the server's modules lie beside them. */
const types: Record<string, string> = {
  '.css': 'text/css; charset=utf-8',
  '.browser.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml; charset=utf-8',
};

export interface Assets {
  /** Prefix of every asset URL. It changes whenever an asset does, so browsers may cache them forever. */
  path: string;
  middleware: Middleware;
}

/** Smallest first: browsers list several without a preference. */
const encodings = ['br', 'gzip'] as const;

interface Asset {
  type: string;
  bytes: Buffer;
  compressed: Record<(typeof encodings)[number], Buffer>;
}

/**
 * Style sheets, browser scripts and icons, read and compressed once. They are the same for everybody. Pages are not
 * compressed: they contain CSRF tokens next to user input, and their length would leak the tokens (BREACH).
 */
export function loadAssets(): Assets {
  const files = findAssets();
  const digest = createHash('sha256');
  for (const [name, { bytes }] of files) digest.update(name).update(bytes);
  const path = `/assets/${digest.digest('hex').slice(0, 12)}`;
  return {
    path,
    middleware: (ctx, next) => {
      if (!ctx.path.startsWith(`${path}/`) || (ctx.method !== 'GET' && ctx.method !== 'HEAD')) return next();
      const file = files.get(ctx.path.slice(path.length + 1));
      if (!file) return next();
      ctx.set('Cache-Control', 'public, max-age=31536000, immutable');
      ctx.vary('Accept-Encoding');
      ctx.type = file.type;
      const encoding = encodings.find((each) => ctx.acceptsEncodings(each));
      if (encoding) ctx.set('Content-Encoding', encoding);
      ctx.body = encoding ? file.compressed[encoding] : file.bytes;
    },
  };
}

/** By path below `src/web`, so that scripts import each other by the same relative paths in the browser and on disk. */
function findAssets(): Map<string, Asset> {
  const found = new Map<string, Asset>();
  for (const file of readdirSync(folder, { recursive: true, encoding: 'utf8' }).toSorted()) {
    const suffix = Object.keys(types).find((each) => file.endsWith(each));
    if (suffix === undefined) continue;
    const name = file.split(sep).join('/');
    const bytes = readFileSync(new URL(name, folder));
    found.set(name, {
      type: types[suffix] ?? '',
      bytes,
      compressed: { br: brotliCompressSync(bytes), gzip: gzipSync(bytes, { level: 9 }) },
    });
  }
  return found;
}
