const maxHeaderLength = 200;
const fallback = 'en';
/** The first locale of Accept-Language in which dates can be formatted. */
export function viewerLocale(ctx) {
  if (ctx.get('Accept-Language').length > maxHeaderLength) return fallback;
  for (const tag of [ctx.acceptsLanguages()].flat()) {
    const locale = tag && supportedLocale(tag);
    if (locale) return locale;
  }
  return fallback;
}
/** Without extensions, which select other calendars and digits: there are too many combinations to cache formats for. */
function supportedLocale(tag) {
  try {
    return Intl.DateTimeFormat.supportedLocalesOf(new Intl.Locale(tag).baseName)[0];
  } catch {
    // Not a language tag.
    return undefined;
  }
}
//# sourceMappingURL=viewer-locale.js.map
