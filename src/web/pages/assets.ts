import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { extname } from 'node:path';
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

/** Stylesheet, scripts and pictures of the pages, read once. */
export function loadAssets(): Assets {
  const files = new Map(readdirSync(folder).map((name) => [name, readFileSync(new URL(name, folder))]));
  const digest = createHash('sha256');
  for (const [name, bytes] of files) digest.update(name).update(bytes);
  const path = `/assets/${digest.digest('hex').slice(0, 12)}`;
  return {
    path,
    middleware: (ctx, next) => {
      if (!ctx.path.startsWith(`${path}/`) || (ctx.method !== 'GET' && ctx.method !== 'HEAD')) return next();
      const name = ctx.path.slice(path.length + 1);
      const bytes = files.get(name);
      if (!bytes) return next();
      ctx.set('Cache-Control', 'public, max-age=31536000, immutable');
      ctx.type = types[extname(name)] ?? 'application/octet-stream';
      ctx.body = bytes;
    },
  };
}
