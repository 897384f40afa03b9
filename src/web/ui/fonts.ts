import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

const { resolve } = createRequire(import.meta.url);
const read = (file: string) => readFileSync(resolve(`@fontsource-variable/inter/${file}`));

/** The file with Latin letters, which every page needs at once. Browsers load the others where a page has their letters. */
export const preloadedFont = 'ui/inter-latin-wght-normal.woff2';

/**
 * Inter in all weights, as one file per script, and its `@font-face` rules. With `optional`, a page that is shown before the
 * font has arrived keeps the system's font: text never moves.
 */
export function loadFonts(): { rules: string; files: { name: string; bytes: Buffer }[] } {
  const files: { name: string; bytes: Buffer }[] = [];
  const rules = read('index.css')
    .toString()
    .replaceAll('font-display: swap', 'font-display: optional')
    .replaceAll(/url\(\.\/(files\/([\w-]+\.woff2))\)/g, (_, file: string, name: string) => {
      files.push({ name: `ui/${name}`, bytes: read(file) });
      return `url(ui/${name})`;
    });
  return { rules, files };
}
