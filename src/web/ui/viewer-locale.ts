import type { Context } from 'koa';

const maxHeaderLength = 200;
const fallback = 'en';

/** The first language of the reader's browser that dates can be written in. */
export function viewerLocale(ctx: Context): string {
  if (ctx.get('Accept-Language').length > maxHeaderLength) return fallback;
  for (const tag of [ctx.acceptsLanguages()].flat()) {
    const locale = tag && supportedLocale(tag);
    if (locale) return locale;
  }
  return fallback;
}

/** Without extensions: they ask for other calendars and digits, and there are too many of them to remember formats for. */
function supportedLocale(tag: string): string | undefined {
  try {
    return Intl.DateTimeFormat.supportedLocalesOf(new Intl.Locale(tag).baseName)[0];
  } catch {
    // Not a language tag.
    return undefined;
  }
}
