import { LRUCache } from 'lru-cache';
import { de } from './de.ts';
import { en } from './en.ts';
import { es } from './es.ts';
import { fr } from './fr.ts';
import { pt } from './pt.ts';
import type { Words } from './words.ts';
import { zh } from './zh.ts';

const languages = new Map<string, Words>(Object.entries({ en, de, fr, es, pt, zh }));

// Browsers send few different headers, and none of this length; whoever makes them up does not fill the memory.
const longestHeader = 200;
const remembered = new LRUCache<string, Words>({ max: 500 });

/** The language that the reader's browser asks for first among ours; English where it asks for none of them. */
export function chooseWords(acceptLanguage: string | undefined): Words {
  if (!acceptLanguage) return en;
  const header = acceptLanguage.slice(0, longestHeader);
  const known = remembered.get(header);
  if (known) return known;
  const chosen = preferred(header);
  remembered.set(header, chosen);
  return chosen;
}

function preferred(header: string): Words {
  let best = en;
  let bestQuality = 0;
  for (const range of header.split(',')) {
    const [tag = '', ...parameters] = range.split(';');
    const words = languages.get(tag.trim().toLowerCase().split('-', 1)[0] ?? '');
    const quality = qualityOf(parameters);
    // Of equals the first one holds: that is the order browsers write them in.
    if (words && quality > bestQuality) {
      best = words;
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
