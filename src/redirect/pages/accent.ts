import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { contrastOf, luminance } from '../../codes/scannability.ts';
import { colors } from '../../theme.ts';
import { html, type Markup } from './html.ts';

/** The owner's color as a style sheet of its own, and its hash for the Content-Security-Policy. */
export interface Accent {
  style: Markup;
  hash: string;
}

/** Minimum contrast of text. The color is darkened or lightened until it is reached. */
const minContrast = 4.5;
const steps = 50;
const [lightPaper, darkCard] = [colors.paper[0], colors.card[1]];
const cache = new LRUCache<string, Accent>({ max: 1_000 });

/** Undefined for anything but #RRGGBB: it becomes part of a style sheet. */
export function accentOf(color: string | null | undefined): Accent | undefined {
  if (!color || !/^#[0-9a-f]{6}$/i.test(color)) return undefined;
  const known = cache.get(color);
  if (known) return known;
  const style = html`${styleOf(color)}`;
  const hash = `sha256-${createHash('sha256').update(style.toString()).digest('base64')}`;
  cache.set(color, { style, hash });
  return { style, hash };
}

/** Not for print, where everything is black. */
function styleOf(color: string): string {
  const light = readable(color, '#000000', lightPaper);
  const dark = readable(color, '#ffffff', darkCard);
  const tint = (accent: string, paper: string) => mixed(accent, paper, 0.88);
  return [
    `@media screen{:root{--accent:${light};--accent-ink:#fff;--tint:${tint(light, '#ffffff')}}`,
    'main{border-top:.375rem solid var(--accent)}}',
    `@media screen and (prefers-color-scheme:dark){:root{--accent:${dark};--accent-ink:#000;`,
    `--tint:${tint(dark, darkCard)}}}`,
  ].join('');
}

/** As close to the color as the contrast with the background allows. */
function readable(color: string, towards: string, background: string): string {
  for (let step = 0; step <= steps; step += 1) {
    const candidate = mixed(color, towards, step / steps);
    // The button has this color as well, and its text is white or black.
    if (contrastOf(luminance(candidate), luminance(background)) >= minContrast) return candidate;
  }
  return towards;
}

function mixed(color: string, other: string, share: number): string {
  const parts = [1, 3, 5].map((at) => {
    const [one, two] = [color, other].map((each) => Number.parseInt(each.slice(at, at + 2), 16));
    return Math.round((one ?? 0) * (1 - share) + (two ?? 0) * share)
      .toString(16)
      .padStart(2, '0');
  });
  return `#${parts.join('')}`;
}
