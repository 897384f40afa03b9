import type { Words } from '../languages/words.ts';
import { html, type Markup } from './html.ts';
import { icon } from './icons.ts';
import { layout } from './layout.ts';
import { actions } from './parts.ts';

export function notFoundPage(words: Words): string {
  return noticePage(words, words.notFound);
}

export function expiredPage(words: Words, reportHref?: string): string {
  return noticePage(words, words.expired, { reportHref });
}

export function blockedPage(words: Words, reportHref?: string): string {
  return noticePage(words, words.blocked, { reportHref });
}

export function methodPage(words: Words): string {
  return noticePage(words, words.method);
}

export function unavailablePage(words: Words): string {
  // An empty address is the page's own: the same request again.
  const again = html`<a class="button primary" href="">${words.tryAgain}</a>`;
  return noticePage(words, words.unavailable, { more: actions(again) });
}

function noticePage(
  words: Words,
  { title, text }: Words['notFound'],
  { more, reportHref }: { more?: Markup; reportHref?: string | undefined } = {},
): string {
  return layout(
    words,
    title,
    html`<p class="kind">${icon('notice')}</p>
<h1>${title}</h1>
<p>${text}</p>
${more}`,
    reportHref,
  );
}
