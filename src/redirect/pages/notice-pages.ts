import type { Notice, Translation } from '../translations.ts';
import { html, type Markup } from './html.ts';
import { layout } from './layout.ts';
import { icon } from './service-links.ts';

export function notFoundPage(translation: Translation): string {
  return noticePage(translation, translation.notFound);
}

export function expiredPage(translation: Translation, reportHref?: string): string {
  return noticePage(translation, translation.expired, { reportHref });
}

export function blockedPage(translation: Translation, reportHref?: string): string {
  return noticePage(translation, translation.blocked, { reportHref });
}

export function fileRemovedPage(translation: Translation): string {
  return noticePage(translation, translation.fileRemoved);
}

export function methodPage(translation: Translation): string {
  return noticePage(translation, translation.method);
}

export function unavailablePage(translation: Translation): string {
  // An empty href repeats the same request.
  const more = html`<div class="actions"><a class="button primary" href="">${translation.tryAgain}</a></div>`;
  return noticePage(translation, translation.unavailable, { more });
}

function noticePage(
  translation: Translation,
  { title, text }: Notice,
  { more, reportHref }: { more?: Markup; reportHref?: string | undefined } = {},
): string {
  return layout(
    translation,
    title,
    html`<p class="kind">${icon('notice')}</p>
<h1>${title}</h1>
<p>${text}</p>
${more}`,
    { reportHref },
  );
}
