import { parseUrl } from './parse-url.ts';

/** An http(s) URL, or a `mailto:` URL if that is allowed. */
export function parsePageLink(text: string, mayBeMail: boolean): string | undefined {
  const url = parseUrl(text);
  if (url?.protocol === 'http:' || url?.protocol === 'https:') return url.href;
  const isMail = url?.protocol === 'mailto:' && /^[^\s@]+@[^\s@]+$/.test(url.pathname);
  return mayBeMail && isMail ? url.href : undefined;
}

/** An e-mail address or an http(s) URL. */
export function parseContact(text: string): string | undefined {
  const isAddress = /^[^\s@<>()",;:/]+@[^\s@<>()",;:/]+$/.test(text);
  return isAddress ? text : parsePageLink(text, false);
}
