import { countModules, fitsSymbol } from '../image/symbol.ts';
import { type ErrorCorrection, errorCorrections } from '../qr-code.ts';
import { coveredPart } from '../design/logo-layout.ts';
import type { Design } from '../design/design.ts';

/** The part of a symbol that can be lost, by the standard. */
const recoverable: Record<ErrorCorrection, number> = { L: 0.07, M: 0.15, Q: 0.25, H: 0.3 };
/** Of what can be recovered, the rest is for dirt and scratches. */
const shareForLogo = 0.5;

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
    const side = (modules * logoSize) / 100;
    const corner = (modules - side) / 2;
    const covered = coveredPart(modules, { x: corner, y: corner, width: side, height: side });
    return covered <= shareForLogo * recoverable[level];
  });
}
