import { unsupported } from './logo-limits.ts';

/** The part of CSS that filled shapes need. */
export interface SvgStyle {
  /** #RRGGBB. Undefined: not filled. */
  fill: string | undefined;
  isEvenOdd: boolean;
  isShown: boolean;
}

export type Declarations = Map<string, string>;
export type StyleRules = Map<string, Declarations>;

const initial: SvgStyle = { fill: '#000000', isEvenOdd: false, isShown: true };
const maxValueLength = 200;

/** Drawn by other means than filling, so that leaving them out would change the picture. */
const refused = ['mask', 'filter', 'clip-path', 'mix-blend-mode'];

/** What is inherited, changed by each of the declarations in turn. */
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

/** `fill:#fff;stroke:none` */
export function declarations(text: string): Declarations {
  const pairs = text.slice(0, 10_000).split(';');
  return new Map(
    pairs.flatMap((pair): [string, string][] => {
      const colon = pair.indexOf(':');
      if (colon < 0) return [];
      return [[pair.slice(0, colon).trim().toLowerCase(), pair.slice(colon + 1).trim()]];
    }),
  );
}

/** A style sheet of classes, as drawing programs write them: `.a,.b{fill:#fff}`. Anything else is refused. */
export function readRules(sheet: string): StyleRules {
  if (sheet.includes('@') || sheet.includes('\\')) throw unsupported('a style sheet that loads others');
  const rules: StyleRules = new Map();
  for (const block of sheet.slice(0, 100_000).split('}')) {
    const [selectors = '', body = ''] = block.split('{', 2);
    if (selectors.trim() === '') continue;
    for (const selector of selectors.split(',', 100).map((part) => part.trim())) {
      if (!/^\.[\w-]{1,100}$/.test(selector)) throw unsupported('a style sheet');
      const name = selector.slice(1);
      rules.set(name, new Map([...(rules.get(name) ?? []), ...declarations(body)]));
    }
  }
  return rules;
}

/** Those of HTML 4. */
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
