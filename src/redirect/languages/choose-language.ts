import { LRUCache } from 'lru-cache';
import { de } from './de.ts';
import { en } from './en.ts';
import { es } from './es.ts';
import { fr } from './fr.ts';
import { pt } from './pt.ts';
import type { Translation } from './translation.ts';
import { zh } from './zh.ts';

const languages = new Map<string, Translation>(Object.entries({ en, de, fr, es, pt, zh }));

// Browsers send few different headers, all of them shorter. The limits bound the cost and the memory of forged ones.
const maxHeaderLength = 200;
const cache = new LRUCache<string, Translation>({ max: 500 });

/** The language that the browser prefers among ours; English if it accepts none of them. */
export function chooseTranslation(acceptLanguage: string | undefined): Translation {
  if (!acceptLanguage) return en;
  const header = acceptLanguage.slice(0, maxHeaderLength);
  const known = cache.get(header);
  if (known) return known;
  const chosen = preferred(header);
  cache.set(header, chosen);
  return chosen;
}

function preferred(header: string): Translation {
  let best = en;
  let bestQuality = 0;
  for (const range of header.split(',')) {
    const [tag = '', ...parameters] = range.split(';');
    const translation = languages.get(tag.trim().toLowerCase().split('-', 1)[0] ?? '');
    const quality = qualityOf(parameters);
    // Of equal weights the first wins, as browsers list languages in order of preference.
    if (translation && quality > bestQuality) {
      best = translation;
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
