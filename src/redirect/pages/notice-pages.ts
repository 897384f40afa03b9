import type { Translation } from '../translations.ts';
import type { Accent } from './own-look.ts';
import { html, type Markup, undirected } from './html.ts';
import { type PageSite, layout } from './layout.ts';
import { icon } from './service-links.ts';

/** The look of a page without content: the owner's, where the page is about a code that is still theirs to show. */
interface NoticeLook extends PageSite {
  accent?: Accent | undefined;
  /** Where to report the code for abuse. */
  reportHref?: string | undefined;
  /** The title that the owner chose for the page of the code. */
  ownTitle?: string | undefined;
  logo?: Markup | undefined;
}

export const noticeNames = [
  'notFound',
  'expired',
  'blocked',
  'fileRemoved',
  'method',
  'unavailable',
] as const;
export type NoticeName = (typeof noticeNames)[number];

/** A page that says why there is no content. */
export function noticePage(
  name: NoticeName,
  translation: Translation,
  { ownTitle, logo, ...look }: NoticeLook = {},
): string {
  const { title, text } = translation[name];
  const own = ownTitle && html`<span dir="auto">${undirected(ownTitle)}</span>`;
  // An empty href repeats the same request.
  const again = html`<div class="actions"><a class="button primary" href="">${translation.tryAgain}</a></div>`;
  return layout(
    translation,
    title,
    html`${logo}<p class="kind">${icon('notice')}${own}</p>
<h1>${title}</h1>
<p>${text}</p>
${name === 'unavailable' ? again : undefined}`,
    { ...look, isNotice: true },
  );
}
