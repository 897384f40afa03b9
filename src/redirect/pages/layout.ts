import { createHash } from 'node:crypto';
import { colors } from '../../theme.ts';
import type { Translation } from '../languages/translation.ts';
import type { Accent } from './accent.ts';
import { html, type Markup } from './html.ts';
import { pageScript } from './page-script.ts';
import { pageStyle } from './page-style.ts';

/** Allows the page's own style, script, icon and images, and nothing that stored text could inject. */
export const pagePolicy = [
  "default-src 'none'",
  `style-src '${hash(pageStyle)}'`,
  `script-src '${hash(pageScript)}'`,
  // The favicon is a data: URL, so that browsers do not request /favicon.ico.
  "img-src 'self' data:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** Also allows the style of the owner's color. */
export function policyWith(accent: Accent | undefined): string {
  return accent ? pagePolicy.replace("style-src '", `style-src '${accent.hash}' '`) : pagePolicy;
}

function hash(text: Markup): string {
  return `sha256-${createHash('sha256').update(text.toString()).digest('base64')}`;
}

const head = html`<meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1">
<meta name="robots" content="noindex">
<meta name="format-detection" content="telephone=no,date=no,address=no,email=no">
<meta name="theme-color" content="${colors.paper[0]}" media="(prefers-color-scheme:light)">
<meta name="theme-color" content="${colors.paper[1]}" media="(prefers-color-scheme:dark)">
<link rel="icon" href="data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 8 8'%3E%3Crect width='8' height='8' rx='2' fill='%230b5d52'/%3E%3Cpath d='M2 2h1.5v1.5H2zM4.5 2H6v1.5H4.5zM2 4.5h1.5V6H2zM4.5 4.5H6V6H4.5z' fill='%23fff'/%3E%3C/svg%3E">
<style>${pageStyle}</style>`;

/** Links have no address in a preview, and browsers would not underline them. */
const previewStyle = html`a:not(.button){text-decoration:underline}`;

const script = html`<script>${pageScript}</script>
`;

interface LayoutOptions {
  accent?: Accent | undefined;
  /** Where to report the code for abuse. */
  reportHref?: string | undefined;
  /** For a preview in another page, whose policy allows only styles with this nonce, and no script. */
  previewNonce?: string | undefined;
}

/** A whole document. */
export function layout(
  translation: Translation,
  title: string,
  main: Markup,
  { accent, reportHref, previewNonce }: LayoutOptions = {},
): string {
  const isPreview = previewNonce !== undefined;
  const nonce = isPreview ? html` nonce="${previewNonce}"` : undefined;
  return html`<!doctype html>
<html lang="${translation.lang}">
<head>
${isPreview ? html`<style${nonce}>${pageStyle}${previewStyle}</style>` : head}
${accent && html`<style${nonce}>${accent.style}</style>\n`}<title>${title}</title>
</head>
<body>
<main>
${main}
</main>
<footer>Qrelay${reportHref && html` <a href="${reportHref}" rel="noopener noreferrer">${translation.reportAbuse}</a>`}</footer>
${isPreview ? undefined : script}</body>
</html>
`.toString();
}
