import { createHash } from 'node:crypto';
import type { Target } from './targets.ts';

const style =
  ':root{color-scheme:light dark}body{font:1.125rem/1.5 system-ui,sans-serif;margin:0}main{max-width:36rem;margin:0 auto;padding:2rem 1rem}h1{font-size:1.5rem;overflow-wrap:anywhere}pre{font:inherit;white-space:pre-wrap;overflow-wrap:anywhere}';

/** Lets the one style sheet above apply, and nothing that a stored text might bring. */
export const pagePolicy = `default-src 'none'; style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;

/** The pages of the share address. They hold no style, script or address of anybody else's. */

export function contentPage({ name, content }: Target): string {
  return page(name, `<h1>${escape(name)}</h1>\n<pre>${escape(content)}</pre>`);
}

export function notFoundPage(): string {
  return notice('Nothing here', 'This code does not exist, or its owner does not share it any more.');
}

export function expiredPage(): string {
  return notice('This code has expired', 'Its owner can renew it. Ask whoever gave you the code.');
}

export function methodPage(): string {
  return notice('This address can only be opened', 'Use GET or HEAD.');
}

export function unavailablePage(): string {
  return notice('Just a moment', 'The code could not be looked up right now. Try again in a few seconds.');
}

function notice(title: string, text: string): string {
  return page(title, `<h1>${title}</h1>\n<p>${text}</p>`);
}

function page(title: string, body: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${escape(title)}</title>
<style>${style}</style>
</head>
<body>
<main>
${body}
</main>
</body>
</html>
`;
}

const entities: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function escape(text: string): string {
  return text.replace(/[&<>"']/g, (character) => entities[character] ?? character);
}
