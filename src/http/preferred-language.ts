/** The languages of share pages and mails. */
export const languages = ['en', 'de', 'fr', 'es', 'pt', 'zh'] as const;

export type Language = (typeof languages)[number];

// Browsers send shorter headers. The limit bounds the cost of forged ones.
const maxHeaderLength = 200;

export function isLanguage(text: unknown): text is Language {
  return languages.some((language) => language === text);
}

/**
 * The language of Accept-Language that the browser prefers among ours; English if it accepts none of them. Koa's `negotiator`
 * ignores a weight after a space, which RFC 9110 allows, and prefers an exact match over the reader's order (`de-AT, fr`).
 */
export function preferredLanguage(acceptLanguage: string | undefined): Language {
  let best: Language = 'en';
  let bestQuality = 0;
  for (const range of (acceptLanguage ?? '').slice(0, maxHeaderLength).split(',')) {
    const [tag = '', ...parameters] = range.split(';');
    const language = tag.trim().toLowerCase().split('-', 1)[0];
    const quality = qualityOf(parameters);
    // With equal weights the first wins: browsers list languages in order of preference.
    if (isLanguage(language) && quality > bestQuality) {
      best = language;
      bestQuality = quality;
    }
  }
  return best;
}

function qualityOf(parameters: string[]): number {
  if (parameters.length === 0) return 1;
  const written = /^\s*q\s*=\s*(0(?:\.\d{0,3})?|1(?:\.0{0,3})?)\s*$/i.exec(parameters[0] ?? '')?.[1];
  return written === undefined ? 0 : Number(written);
}
