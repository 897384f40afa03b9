import type { Brand, BrandFile } from '../../brand.ts';
import { AppError } from '../../errors.ts';
import { compressible, incompressible, sendCompressed } from '../compressible.ts';
import { type Routes, createRoutes } from '../routes.ts';

/** A script in an SVG that is opened by its address would run as a page of ours. */
const policy = "default-src 'none'; style-src 'unsafe-inline'; sandbox";

/** The pictures of the operator. Their addresses change with them. */
export function brandRoutes({ logo, icon }: Brand): Routes {
  const routes = createRoutes();
  const files = new Map(
    [logo, icon].flatMap((file) => (file ? [[file.path, compressed(file)] as const] : [])),
  );
  routes.get('stranger', '/brand/:file', async (ctx) => {
    const file = files.get(ctx.path);
    if (!file) throw new AppError('not_found', 'There is nothing at this address.');
    ctx.set('Cache-Control', 'public, max-age=31536000, immutable');
    ctx.set('Content-Security-Policy', policy);
    await sendCompressed(ctx, file);
  });
  return routes;
}

const compressed = ({ mediaType, bytes }: BrandFile) =>
  mediaType === 'image/svg+xml' ? compressible(mediaType, bytes) : incompressible(mediaType, bytes);
