import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { extname } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import type { Middleware } from 'koa';

const folder = new URL('../assets/', import.meta.url);
const types: Record<string, string> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml; charset=utf-8',
};

export interface Assets {
  /** Below this path. It changes when any of them does, so that a browser may keep them for ever. */
  path: string;
  middleware: Middleware;
}

/** The smallest first: browsers name several without saying which they would rather have. */
const encodings = ['br', 'gzip'] as const;

interface Asset {
  bytes: Buffer;
  compressed: Record<(typeof encodings)[number], Buffer>;
}

/**
 * Stylesheet, scripts and pictures of the pages, read and compressed once. They are the same for everybody. Pages are not
 * compressed: they hold form tokens beside what a visitor typed, and their length would give the tokens away (BREACH).
 */
export function loadAssets(): Assets {
  const files = new Map(readdirSync(folder).map((name) => [name, load(name)]));
  const digest = createHash('sha256');
  for (const [name, { bytes }] of files) digest.update(name).update(bytes);
  const path = `/assets/${digest.digest('hex').slice(0, 12)}`;
  return {
    path,
    middleware: (ctx, next) => {
      if (!ctx.path.startsWith(`${path}/`) || (ctx.method !== 'GET' && ctx.method !== 'HEAD')) return next();
      const name = ctx.path.slice(path.length + 1);
      const file = files.get(name);
      if (!file) return next();
      ctx.set('Cache-Control', 'public, max-age=31536000, immutable');
      ctx.vary('Accept-Encoding');
      ctx.type = types[extname(name)] ?? 'application/octet-stream';
      const encoding = encodings.find((each) => ctx.acceptsEncodings(each));
      if (encoding) ctx.set('Content-Encoding', encoding);
      ctx.body = encoding ? file.compressed[encoding] : file.bytes;
    },
  };
}

function load(name: string): Asset {
  const bytes = readFileSync(new URL(name, folder));
  return { bytes, compressed: { br: brotliCompressSync(bytes), gzip: gzipSync(bytes, { level: 9 }) } };
}
