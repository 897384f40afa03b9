import type { Context } from 'koa';
import { LRUCache } from 'lru-cache';

const maxHeaderLength = 200;
const fallback = 'en';
/** By language tag; '' if there is none. Cached because a lookup takes a tenth of a millisecond. */
const supported = new LRUCache<string, string>({ max: 1_000 });

/** The first locale of Accept-Language in which dates can be formatted. */
export function viewerLocale(ctx: Context): string {
  const { length } = ctx.get('Accept-Language');
  if (length === 0 || length > maxHeaderLength) return fallback;
  for (const tag of [ctx.acceptsLanguages()].flat()) {
    const locale = tag && supportedLocale(tag);
    if (locale) return locale;
  }
  return fallback;
}

function supportedLocale(tag: string): string {
  let locale = supported.get(tag);
  if (locale === undefined) {
    locale = findSupported(tag) ?? '';
    supported.set(tag, locale);
  }
  return locale;
}

/** Without extensions, which select other calendars and digits: there are too many combinations to cache formats for. */
function findSupported(tag: string): string | undefined {
  try {
    return Intl.DateTimeFormat.supportedLocalesOf(new Intl.Locale(tag).baseName)[0];
  } catch {
    // Not a language tag.
    return undefined;
  }
}
