import { correctableCodewords, countModules, fitsSymbol } from '../image/symbol.ts';
import { type ErrorCorrection, errorCorrections } from '../qr-code.ts';
import { coveredModules } from '../design/compose.ts';
import type { Design } from '../design/design.ts';

/** Of the codewords that can be lost, the rest is for dirt and scratches. */
const shareForLogo = 0.6;

/** The levels at which a logo may be tried, from the wanted one up. Empty if there is none. `text` is what the code shows. */
export function levelsWithLogo(
  { text, content }: { text: string; content: string },
  wanted: ErrorCorrection,
  { logoSize }: Pick<Design, 'logoSize'>,
): ErrorCorrection[] {
  return errorCorrections.slice(errorCorrections.indexOf(wanted)).filter((level) => {
    // A picture of the content itself, without a design, must stay possible.
    if (!fitsSymbol(text, level) || !fitsSymbol(content, level)) return false;
    const modules = countModules(text, level);
    // As if it was square: a wide or high one covers less.
    const covered = coveredModules(modules, (modules * logoSize) / 100);
    return lostCodewords(covered) <= shareForLogo * correctableCodewords(text, level);
  });
}

/** In a square of modules, on average. A codeword is two modules wide and four high, and lost with one of them. */
const lostCodewords = (side: number) => ((side + 1) / 2) * ((side + 3) / 4);
