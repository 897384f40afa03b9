import { unsupported } from './upload.ts';

/** The part of CSS that filled shapes need. */
export interface SvgStyle {
  /** #RRGGBB; undefined if not filled. */
  fill: string | undefined;
  isEvenOdd: boolean;
  isShown: boolean;
}

type Declarations = Map<string, string>;

const initial: SvgStyle = { fill: '#000000', isEvenOdd: false, isShown: true };
const maxValueLength = 200;
/** The attributes `style` and `class` of one element. */
const maxInlineLength = 10_000;
const maxClasses = 20;
/** All <style> elements of a file together. */
const maxSheetLength = 100_000;
const maxSelectors = 5_000;

/** Ignoring these would change the picture. */
const refused = ['mask', 'filter', 'clip-path', 'mix-blend-mode'];

/** Applies declarations to the inherited style. */
export function withStyle(inherited: SvgStyle = initial, given: Declarations[]): SvgStyle {
  const style = { ...inherited };
  for (const declared of given) {
    for (const name of refused) {
      if (!['none', 'normal', undefined].includes(declared.get(name))) throw unsupported(name);
    }
    for (const name of ['opacity', 'fill-opacity']) {
      const value = declared.get(name);
      if (value !== undefined && Number.parseFloat(value.slice(0, 20)) < 1) throw unsupported('transparency');
    }
    const stroke = declared.get('stroke');
    const isThin = Number.parseFloat(declared.get('stroke-width')?.slice(0, 20) ?? '1') === 0;
    if (stroke !== undefined && stroke !== 'none' && !isThin) throw unsupported('outlines (strokes)');
    const fill = declared.get('fill');
    if (fill !== undefined && fill !== 'inherit') style.fill = readColor(fill);
    const rule = declared.get('fill-rule');
    if (rule !== undefined) style.isEvenOdd = rule === 'evenodd';
    if (declared.get('display') === 'none') style.isShown = false;
    const visibility = declared.get('visibility');
    if (visibility === 'hidden' || visibility === 'collapse') style.isShown = false;
  }
  return style;
}

/** Everything that `withStyle` reads. Other declarations are not kept, so that a rule stays small. */
const known = new Set([
  ...refused,
  'opacity',
  'fill-opacity',
  'stroke',
  'stroke-width',
  'fill',
  'fill-rule',
  'display',
  'visibility',
]);

/** `fill:#fff;stroke:none` */
function declarations(text: string): Declarations {
  const declared: Declarations = new Map();
  for (const pair of text.split(';')) {
    const colon = pair.indexOf(':');
    const name = pair.slice(0, Math.max(0, colon)).trim().toLowerCase();
    if (known.has(name)) declared.set(name, pair.slice(colon + 1).trim());
  }
  return declared;
}

/** The attribute `style`. */
export const inlineStyle = (text: string): Declarations => declarations(text.slice(0, maxInlineLength));

/** The rules of all <style> elements of a file. */
interface StyleSheet {
  /** Classes, as drawing programs write them: `.a,.b{fill:#fff}`. Anything else is rejected. */
  add(text: string): void;
  /** What applies to an element with these classes. */
  rulesOf(classes: string): Declarations[];
}

export function createStyleSheet(): StyleSheet {
  const rules = new Map<string, Declarations>();
  let [length, selectorCount] = [0, 0];

  function declare(selector: string, declared: Declarations): void {
    if (!/^\.[\w-]{1,100}$/.test(selector)) throw unsupported('a style sheet');
    const rule = rules.get(selector.slice(1)) ?? new Map<string, string>();
    for (const [name, value] of declared) rule.set(name, value);
    rules.set(selector.slice(1), rule);
  }

  return {
    add(text) {
      length += text.length;
      if (length > maxSheetLength) throw unsupported('style sheets that are too long');
      if (text.includes('@') || text.includes('\\')) throw unsupported('a style sheet that loads others');
      for (const block of text.split('}')) {
        const [selectors = '', body = ''] = block.split('{', 2);
        if (selectors.trim() === '') continue;
        const declared = declarations(body);
        for (const selector of selectors.split(',')) {
          selectorCount += 1;
          if (selectorCount > maxSelectors) throw unsupported('too many styles');
          declare(selector.trim(), declared);
        }
      }
    },
    rulesOf: (classes) =>
      classes
        .slice(0, maxInlineLength)
        .split(/\s+/, maxClasses)
        .flatMap((name) => rules.get(name) ?? []),
  };
}

/** The colors of HTML 4. */
const names: Record<string, string> = {
  black: '#000000',
  silver: '#c0c0c0',
  gray: '#808080',
  grey: '#808080',
  white: '#ffffff',
  maroon: '#800000',
  red: '#ff0000',
  purple: '#800080',
  fuchsia: '#ff00ff',
  green: '#008000',
  lime: '#00ff00',
  olive: '#808000',
  yellow: '#ffff00',
  navy: '#000080',
  blue: '#0000ff',
  teal: '#008080',
  aqua: '#00ffff',
  orange: '#ffa500',
  currentcolor: '#000000',
};

function readColor(text: string): string | undefined {
  const value = text.slice(0, maxValueLength).trim().toLowerCase();
  if (value === 'none' || value === 'transparent') return undefined;
  if (/^#[\da-f]{6}$/.test(value)) return value;
  if (/^#[\da-f]{3}$/.test(value)) return value.replace(/[\da-f]/g, '$&$&');
  const named = Object.hasOwn(names, value) ? names[value] : undefined;
  if (named !== undefined) return named;
  const channels = /^rgb\(\s*(\d{1,3})\s*,\s*(\d{1,3})\s*,\s*(\d{1,3})\s*\)$/
    .exec(value)
    ?.slice(1)
    .map(Number);
  if (channels?.every((channel) => channel <= 255))
    return `#${channels.map((channel) => channel.toString(16).padStart(2, '0')).join('')}`;
  if (value.startsWith('url(')) throw unsupported('gradients or patterns');
  throw unsupported(`the color ${value.slice(0, 30)}`);
}
