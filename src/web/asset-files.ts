import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { sep } from 'node:path';
import { AppError } from '../errors.ts';
import { type Brand, themeOf } from '../brand.ts';
import { themeRules } from '../theme.ts';
import { type Compressible, compressible, incompressible, sendCompressed } from './compressible.ts';
import { createRoutes, type Routes } from './routes.ts';
import { loadFonts } from './ui/fonts.ts';

const folder = new URL('./', import.meta.url);
/** Browser scripts have their own suffix, because the server's modules are in the same folders. */
const fileTypes: Record<string, string> = {
  '.browser.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml; charset=utf-8',
};
/** Which rules win, weakest first. Every style sheet puts its rules into one of these. */
const layers = '@layer tokens, base, controls, layout, features, utilities;';
/** The folder whose style sheet every page loads first. */
const sharedFolder = 'ui';

export interface Assets {
  /** Prefix of every asset URL. It changes whenever an asset does, so browsers may cache them forever. */
  path: string;
  routes: Routes;
}

const loaded = new WeakMap<Brand, Assets>();

/** Style sheets, browser scripts, fonts and icons, read and compressed once per process. The brand has one color of them. */
export function loadAssets(brand: Brand): Assets {
  const known = loaded.get(brand) ?? load(brand);
  loaded.set(brand, known);
  return known;
}

function load(brand: Brand): Assets {
  const files = findAssets(themeRules(undefined, themeOf(brand)));
  const digest = createHash('sha256');
  for (const [name, { bytes }] of files) digest.update(name).update(bytes);
  const path = `/assets/${digest.digest('hex').slice(0, 12)}`;
  const routes = createRoutes();
  routes.get('stranger', '/assets/*file', async (ctx) => {
    const file = files.get(ctx.path.slice(path.length + 1));
    if (!file || !ctx.path.startsWith(`${path}/`))
      throw new AppError('not_found', 'There is nothing at this address.');
    ctx.set('Cache-Control', 'public, max-age=31536000, immutable');
    await sendCompressed(ctx, file);
  });
  return { path, routes };
}

/**
 * Scripts and icons by their path below `src/web`, so that scripts import each other by the same relative paths in the
 * browser and on disk. The style sheets of a folder and of those in it are one asset: `keys.css` holds all of `keys/`.
 */
function findAssets(theme: string): Map<string, Compressible> {
  const found = new Map<string, Compressible>();
  const fonts = loadFonts();
  for (const { name, bytes } of fonts.files) found.set(name, incompressible('font/woff2', bytes));
  const sheets = new Map([
    [`${sharedFolder}.css`, `${layers}\n${fonts.rules}\n@layer tokens {\n${theme}\n}\n`],
  ]);
  for (const file of readdirSync(folder, { recursive: true, encoding: 'utf8' }).toSorted()) {
    const name = file.split(sep).join('/');
    const suffix = Object.keys(fileTypes).find((each) => name.endsWith(each));
    const read = () => readFileSync(new URL(name, folder));
    if (suffix !== undefined) found.set(name, compressible(fileTypes[suffix] ?? '', read()));
    if (!name.endsWith('.css')) continue;
    const sheet = `${name.split('/')[0]}.css`;
    sheets.set(sheet, (sheets.get(sheet) ?? '') + read().toString());
  }
  for (const [name, text] of sheets) {
    const shorter = text.replaceAll(/\/\*.*?\*\//gs, '').replaceAll(/^\s+/gm, '');
    found.set(name, compressible('text/css; charset=utf-8', Buffer.from(shorter)));
  }
  return found;
}
