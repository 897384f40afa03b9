import type { CodeContent } from '../../codes/content/code-content.ts';
import { html, type Markup } from './html.ts';

/** What a service is for, rather than its trademark. */
export type ServiceIcon = 'code' | 'contact' | 'link' | 'music' | 'photo' | 'sms' | 'video';
type Icon = CodeContent['kind'] | ServiceIcon | 'notice';

const link = html`<path d="M10 14a5 5 0 0 0 7 0l3-3a5 5 0 0 0-7-7l-1 1M14 10a5 5 0 0 0-7 0l-3 3a5 5 0 0 0 7 7l1-1"/>`;

/** In a 24 × 24 view box; the text beside them says the same. */
const shapes: Record<Icon, Markup> = {
  link,
  links: link,
  phone: html`<path d="M5 3h4l2 5-2.5 1.5a11 11 0 0 0 6 6L16 13l5 2v4a2 2 0 0 1-2 2A16 16 0 0 1 3 5a2 2 0 0 1 2-2z"/>`,
  sms: html`<path d="M4 4h16a1 1 0 0 1 1 1v11a1 1 0 0 1-1 1h-8l-5 4v-4H4a1 1 0 0 1-1-1V5a1 1 0 0 1 1-1zM8 9h8M8 13h5"/>`,
  email: html`<path d="M4 5h16a1 1 0 0 1 1 1v12a1 1 0 0 1-1 1H4a1 1 0 0 1-1-1V6a1 1 0 0 1 1-1zM3.5 7l8.5 6 8.5-6"/>`,
  geo: html`<path d="M12 21s-7-6-7-11a7 7 0 0 1 14 0c0 5-7 11-7 11z"/><circle cx="12" cy="10" r="2.5"/>`,
  wifi: html`<path d="M2 9a15 15 0 0 1 20 0M5.5 13a10 10 0 0 1 13 0M9 16.5a5 5 0 0 1 6 0M12 20h.01"/>`,
  contact: html`<circle cx="12" cy="8" r="4"/><path d="M4 21c0-4 3.5-6 8-6s8 2 8 6"/>`,
  text: html`<path d="M4 6h16M4 12h16M4 18h10"/>`,
  code: html`<path d="M8 6l-6 6 6 6M16 6l6 6-6 6"/>`,
  music: html`<path d="M9 18V5l11-2v13"/><circle cx="6" cy="18" r="3"/><circle cx="17" cy="16" r="3"/>`,
  photo: html`<path d="M3 8h4l2-3h6l2 3h4v12H3z"/><circle cx="12" cy="13" r="4"/>`,
  video: html`<path d="M3 5h18v14H3zM10 9v6l5-3z"/>`,
  notice: html`<circle cx="12" cy="12" r="9"/><path d="M12 7v6M12 16.5h.01"/>`,
};

export function icon(name: Icon): Markup {
  return html`<svg viewBox="0 0 24 24" aria-hidden="true">${shapes[name]}</svg>`;
}
