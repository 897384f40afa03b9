import type { Design } from '../../../codes/design/design.ts';

/** The form: each field as text, a check box as `on` or empty. */
export type DesignValues = Record<string, string>;

/** A color input always has a value, so a check box says whether the colors are used. */
const colorSwitches = {
  hasEyeColors: ['eyeFrameColor', 'eyeBallColor'],
  hasGradient: ['gradientColor'],
  hasFrameColors: ['frameColor', 'frameTextColor'],
} as const;

const choices = [
  'moduleShape',
  'eyeFrameShape',
  'eyeBallShape',
  'gradientShape',
  'gradientAngle',
  'quietZone',
  'frame',
  'frameText',
  'logoSize',
] as const;

export const designFieldNames: string[] = [
  ...choices,
  'transparentBackground',
  'removeLogo',
  // The id of the style that the page was filled with: its logo is used.
  'styleId',
  ...Object.entries(colorSwitches).flatMap(([box, colors]) => [box, ...colors]),
];

interface Colors {
  foregroundColor: string;
  backgroundColor: string;
}

export function valuesOfDesign(design: Design, { foregroundColor, backgroundColor }: Colors): DesignValues {
  const values: DesignValues = { transparentBackground: design.transparentBackground ? 'on' : '' };
  // What it looks like without colors of its own. The end of a gradient is another color, so that checking its box shows one.
  const initial = {
    eyeFrameColor: foregroundColor,
    eyeBallColor: foregroundColor,
    gradientColor: '#1d4ed8',
    frameColor: foregroundColor,
    frameTextColor: backgroundColor,
  };
  for (const name of choices) values[name] = String(design[name] ?? '');
  for (const [box, colors] of Object.entries(colorSwitches)) {
    values[box] = colors.some((name) => design[name] !== null) ? 'on' : '';
    for (const name of colors) values[name] = design[name] ?? initial[name];
  }
  return values;
}

/** A request body of the API, so that the same rules apply. */
export function designBodyOf(values: DesignValues): Record<string, unknown> {
  const body: Record<string, unknown> = { transparentBackground: values['transparentBackground'] === 'on' };
  for (const name of choices) body[name] = values[name];
  for (const name of ['gradientAngle', 'quietZone', 'logoSize']) {
    const text = (values[name] ?? '').trim();
    body[name] = /^\d{1,6}$/.test(text) ? Number(text) : text;
  }
  const text = (values['frameText'] ?? '').trim();
  body['frameText'] = text === '' ? null : text;
  for (const [box, colors] of Object.entries(colorSwitches)) {
    for (const name of colors) body[name] = values[box] === 'on' ? values[name] : null;
  }
  return body;
}

export function previewQuery(values: DesignValues): string {
  return new URLSearchParams(designFieldNames.map((name) => [name, values[name] ?? ''])).toString();
}
