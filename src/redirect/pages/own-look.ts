import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { mixed, readable } from '../../color.ts';
import { colors } from '../../theme.ts';
import type { PageLogo } from '../../codes/share-page.ts';
import { html, type Markup, undirected } from './html.ts';

/** The owner's color as a style sheet of its own, and its hash for the Content-Security-Policy. */
export interface Accent {
  style: Markup;
  hash: string;
}

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

/** Not for print, where everything is black. The button has the color as well, and its text is white or black. */
function styleOf(color: string): string {
  const light = readable(color, '#000000', () => [lightPaper]);
  const dark = readable(color, '#ffffff', () => [darkCard]);
  const tint = (accent: string, paper: string) => mixed(accent, paper, 0.88);
  return [
    `@media screen{:root{--accent:${light};--accent-ink:#fff;--tint:${tint(light, '#ffffff')}}`,
    'main{border-top:.375rem solid var(--accent)}}',
    `@media screen and (prefers-color-scheme:dark){:root{--accent:${dark};--accent-ink:#000;`,
    `--tint:${tint(dark, darkCard)}}}`,
  ].join('');
}

interface ShownLogo {
  src: string;
  alt: string;
}

/** Its address changes with it, so that a cached one is not shown instead. */
export function pageLogoAt({ logo, alt }: PageLogo, token: string, basePath: string): ShownLogo {
  return { src: `${basePath}/r/${token}-logo.png?v=${logo.slice(0, 8)}`, alt };
}

export function logoPicture(logo: ShownLogo | null | undefined): Markup | undefined {
  return logo ? html`<img class="logo" src="${logo.src}" alt="${undirected(logo.alt)}">\n` : undefined;
}
