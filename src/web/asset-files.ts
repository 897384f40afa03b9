import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { sep } from 'node:path';
import { AppError } from '../errors.ts';
import { themeRules } from '../theme.ts';
import { type Compressible, compressible, sendCompressed } from './compressible.ts';
import { createRoutes, type Routes } from './routes.ts';

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

let loaded: Assets | undefined;

/** Style sheets, browser scripts and icons, read and compressed once per process. */
export function loadAssets(): Assets {
  loaded ??= load();
  return loaded;
}

function load(): Assets {
  const files = findAssets();
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
function findAssets(): Map<string, Compressible> {
  const found = new Map<string, Compressible>();
  const sheets = new Map([[`${sharedFolder}.css`, `${layers}\n@layer tokens {\n${themeRules()}\n}\n`]]);
  for (const file of readdirSync(folder, { recursive: true, encoding: 'utf8' }).toSorted()) {
    const name = file.split(sep).join('/');
    const suffix = Object.keys(fileTypes).find((each) => name.endsWith(each));
    const read = () => readFileSync(new URL(name, folder));
    if (suffix !== undefined) found.set(name, compressible(fileTypes[suffix] ?? '', read()));
    if (!name.endsWith('.css')) continue;
    const sheet = `${name.split('/')[0]}.css`;
    sheets.set(sheet, (sheets.get(sheet) ?? '') + read().toString());
  }
  for (const [name, text] of sheets)
    found.set(name, compressible('text/css; charset=utf-8', Buffer.from(text)));
  return found;
}
