import { readdir, readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import type { Context } from 'koa';

const types: Record<string, string> = {
  '.css': 'text/css; charset=utf-8',
  '.ico': 'image/x-icon',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.png': 'image/png',
  '.svg': 'image/svg+xml; charset=utf-8',
  '.txt': 'text/plain; charset=utf-8',
};
/** The name contains a content hash, so browsers may cache the file forever. */
const isHashed = (name: string) => /\.[0-9a-f]{10}\.\w+$/.test(name);

/** The board's scripts, styles and images, read once. Serving from this list rules out path traversal. */
export async function loadBoardFiles(folder: string): Promise<(ctx: Context, name: string) => void> {
  const files = new Map<string, Buffer>();
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    files.set(path.slice(folder.length + 1).replaceAll('\\', '/'), await readFile(path));
  }
  return (ctx, name) => {
    const bytes = files.get(name);
    if (!bytes) return;
    ctx.set(
      'Cache-Control',
      isHashed(name) ? 'private, max-age=31536000, immutable' : 'private, max-age=300',
    );
    ctx.type = types[extname(name)] ?? 'application/octet-stream';
    ctx.body = bytes;
  };
}
