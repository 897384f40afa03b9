/**
 * The design tokens of every page: the app's style sheets and the share pages use them as CSS custom properties.
 * Text keeps a contrast of 4.5:1 on its background, and `dim` one of 7:1: share pages are read in sunlight.
 */
export const colors = {
  paper: ['#f6f7f5', '#111615'],
  card: ['#fff', '#1a2220'],
  ink: ['#15201e', '#eaf0ee'],
  quiet: ['#51605c', '#a9b8b3'],
  dim: ['#3f4f4b', '#a9b8b3'],
  line: ['#d5dcd9', '#35413e'],
  accent: ['#0b5d52', '#6fd3c0'],
  'accent-ink': ['#fff', '#06201b'],
  tint: ['#e4f0ed', '#20403a'],
  good: ['#e3f2ec', '#12352d'],
  bad: ['#fbe6e4', '#45201d'],
  danger: ['#a3231b', '#ff9d94'],
  'danger-ink': ['#fff', '#2b0806'],
  star: ['#b35900', '#ffb869'],
  focus: ['#b35900', '#ffb869'],
  shadow: ['0 0.5rem 1.5rem rgb(0 0 0 / 0.16)', '0 0.5rem 1.5rem rgb(0 0 0 / 0.6)'],
  'shade-0': ['#dfe5e2', '#2c3735'],
  'shade-1': ['#b5d8cf', '#21544b'],
  'shade-2': ['#83bfb1', '#2f766a'],
  'shade-3': ['#4f9f90', '#43998a'],
  'shade-4': ['#247b6d', '#58b8a7'],
  'shade-5': ['#0b5d52', '#86e6d4'],
} as const satisfies Record<string, readonly [light: string, dark: string]>;

const sizes = {
  step: '.5rem',
  round: '.5rem',
  /** The smallest target that a finger hits reliably. */
  touch: '2.75rem',
  'text-xs': '.75rem',
  'text-s': '.875rem',
  'text-m': '.9375rem',
  'text-l': '1.125rem',
  'text-xl': '1.25rem',
  'text-2xl': '1.5rem',
  'text-3xl': '1.75rem',
  mono: 'ui-monospace,monospace',
} as const;

/** The tokens as rules for `:root`. Given a style sheet, only those that it uses: share pages must stay small. */
export function themeRules(styleSheet?: string): string {
  const isUsed = (name: string) => styleSheet === undefined || styleSheet.includes(`var(--${name})`);
  const declarations = (entries: [string, string][]) =>
    entries
      .filter(([name]) => isUsed(name))
      .map(([name, value]) => `--${name}:${value}`)
      .join(';');
  const ofTheme = (index: 0 | 1) =>
    Object.entries(colors).map(([name, values]): [string, string] => [name, values[index]]);
  return [
    `:root{color-scheme:light dark;${declarations([...ofTheme(0), ...Object.entries(sizes)])}}`,
    `@media screen and (prefers-color-scheme:dark){:root{${declarations(ofTheme(1))}}}`,
  ].join('\n');
}
