/**
 * The design tokens of every page: the app's style sheets and the share pages use them as CSS custom properties.
 * Text keeps a contrast of 4.5:1 on its background, and `dim` one of 7:1: share pages are read in sunlight.
 */
export const colors = {
  paper: ['#f5f7f6', '#0b1110'],
  card: ['#ffffff', '#131a19'],
  /** Behind a hovered row or an input that cannot be changed. */
  raised: ['#eef2f0', '#1c2624'],
  /** Behind pictures of codes, and a line around them: their frames may be as dark as it. */
  desk: ['#eef2f0', '#2a3734'],
  'desk-edge': ['transparent', 'rgb(255 255 255 / 0.7)'],
  ink: ['#0d1b18', '#eaf1ef'],
  quiet: ['#50605b', '#a5b5b0'],
  dim: ['#3d4d49', '#a5b5b0'],
  line: ['#e0e7e4', '#26322f'],
  /** Borders of controls: a contrast of 3:1. */
  edge: ['#81908b', '#6a7c76'],
  accent: ['#08705c', '#58d6b6'],
  'accent-strong': ['#065746', '#8be8cf'],
  'accent-ink': ['#ffffff', '#03231b'],
  tint: ['#e2f3ee', '#123a32'],
  good: ['#e2f3ee', '#10342c'],
  bad: ['#fdeae7', '#44201c'],
  warn: ['#fdf1dc', '#3a2a10'],
  'warn-ink': ['#7a4700', '#ffcf8a'],
  danger: ['#b3261e', '#ff9d94'],
  'danger-ink': ['#ffffff', '#2b0806'],
  star: ['#b35900', '#ffb869'],
  focus: ['#08705c', '#58d6b6'],
  'shadow-s': [
    '0 1px 2px rgb(13 27 24 / 0.06), 0 1px 3px rgb(13 27 24 / 0.04)',
    '0 1px 2px rgb(0 0 0 / 0.5)',
  ],
  shadow: [
    '0 0 0 1px rgb(13 27 24 / 0.04), 0 1rem 2.5rem -0.75rem rgb(13 27 24 / 0.28)',
    '0 0 0 1px rgb(255 255 255 / 0.06), 0 1rem 2.5rem -0.5rem rgb(0 0 0 / 0.8)',
  ],
  'shade-0': ['#e3e9e6', '#25302d'],
  'shade-1': ['#bfe3d8', '#1b4a3f'],
  'shade-2': ['#8accba', '#216b5a'],
  'shade-3': ['#4aab93', '#2f937b'],
  'shade-4': ['#198a71', '#48bd9f'],
  'shade-5': ['#065746', '#8be8cf'],
} as const satisfies Record<string, readonly [light: string, dark: string]>;

const sizes = {
  step: '.5rem',
  /** Corners of controls, of cards, and of what is a pill. */
  round: '.5rem',
  'round-l': '.875rem',
  pill: '10rem',
  /** The smallest target that a finger hits reliably. */
  touch: '2.75rem',
  'text-xs': '.75rem',
  'text-s': '.8125rem',
  'text-m': '.875rem',
  'text-l': '1.0625rem',
  'text-xl': '1.1875rem',
  'text-2xl': '1.5rem',
  'text-3xl': '1.75rem',
  'text-display': 'clamp(2.25rem, 1.4rem + 3.6vw, 3.75rem)',
  sans: '"Inter Variable",system-ui,sans-serif',
  mono: 'ui-monospace,"SF Mono","Cascadia Mono",Menlo,Consolas,monospace',
  /** How long something that appears or moves takes. */
  quick: '.15s',
} as const;

/** Colors that differ from those above. */
export type ThemeChanges = Partial<Record<keyof typeof colors, readonly [light: string, dark: string]>>;

/** The tokens as rules for `:root`. Given a style sheet, only those that it uses: share pages must stay small. */
export function themeRules(styleSheet?: string, changes: ThemeChanges = {}): string {
  const isUsed = (name: string) => styleSheet === undefined || styleSheet.includes(`var(--${name})`);
  const declarations = (entries: [string, string][]) =>
    entries
      .filter(([name]) => isUsed(name))
      .map(([name, value]) => `--${name}:${value}`)
      .join(';');
  const ofTheme = (index: 0 | 1) =>
    Object.entries({ ...colors, ...changes }).map(([name, values]): [string, string] => [
      name,
      values[index],
    ]);
  return [
    `:root{color-scheme:light dark;${declarations([...ofTheme(0), ...Object.entries(sizes)])}}`,
    `@media screen and (prefers-color-scheme:dark){:root{${declarations(ofTheme(1))}}}`,
  ].join('\n');
}
