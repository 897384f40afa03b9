import { LRUCache } from 'lru-cache';
import { type Language, preferredLanguage } from '../../http/preferred-language.ts';
import { de } from './de.ts';
import { en } from './en.ts';
import { es } from './es.ts';
import { fr } from './fr.ts';
import { pt } from './pt.ts';
import type { Translation } from './translation.ts';
import { zh } from './zh.ts';

const translations: Record<Language, Translation> = { en, de, fr, es, pt, zh };

// Browsers send few different headers, all of them shorter. The limits bound the memory that forged ones take.
const maxHeaderLength = 200;
const cache = new LRUCache<string, Translation>({ max: 500 });

/** The language that the browser prefers among ours; English if it accepts none of them. */
export function chooseTranslation(acceptLanguage: string | undefined): Translation {
  if (!acceptLanguage) return en;
  const header = acceptLanguage.slice(0, maxHeaderLength);
  const known = cache.get(header);
  if (known) return known;
  const chosen = translations[preferredLanguage(header)];
  cache.set(header, chosen);
  return chosen;
}
