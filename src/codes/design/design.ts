/** How a code looks, apart from its colors and size. */
export interface Design {
  moduleShape: ModuleShape;
  eyeFrameShape: EyeFrameShape;
  eyeBallShape: EyeBallShape;
  /** #RRGGBB; null for the color of the modules. */
  eyeFrameColor: string | null;
  eyeBallColor: string | null;
  /** The end of a gradient from the foreground color. Null for no gradient. */
  gradientColor: string | null;
  gradientShape: GradientShape;
  /** Degrees clockwise; 0 is left to right. */
  gradientAngle: number;
  transparentBackground: boolean;
  /** In modules. */
  quietZone: number;
  frame: FrameShape;
  frameText: string | null;
  frameColor: string | null;
  frameTextColor: string | null;
  /** Id of a stored logo. */
  logo: string | null;
  /** The longer side in percent of the symbol's width. */
  logoSize: number;
}

export const moduleShapes = ['square', 'rounded', 'dots', 'diamond', 'bars'] as const;
export type ModuleShape = (typeof moduleShapes)[number];

export const eyeFrameShapes = ['square', 'rounded', 'cut', 'leaf'] as const;
export type EyeFrameShape = (typeof eyeFrameShapes)[number];

export const eyeBallShapes = ['square', 'rounded', 'circle', 'leaf', 'octagon'] as const;
export type EyeBallShape = (typeof eyeBallShapes)[number];

export const gradientShapes = ['linear', 'radial'] as const;
type GradientShape = (typeof gradientShapes)[number];

export const frameShapes = ['none', 'band', 'bubble', 'card'] as const;
export type FrameShape = (typeof frameShapes)[number];

/** Required by the QR standard. */
export const minQuietZone = 4;
/** A frame separates the symbol from its surroundings, so a narrower margin is enough. */
export const minFramedQuietZone = 2;
export const maxQuietZone = 16;
export const maxFrameTextLength = 30;

export const minLogoSize = 10;
export const maxLogoSize = 24;

export const defaultDesign: Design = {
  moduleShape: 'square',
  eyeFrameShape: 'square',
  eyeBallShape: 'square',
  eyeFrameColor: null,
  eyeBallColor: null,
  gradientColor: null,
  gradientShape: 'linear',
  gradientAngle: 0,
  transparentBackground: false,
  quietZone: minQuietZone,
  frame: 'none',
  frameText: null,
  frameColor: null,
  frameTextColor: null,
  logo: null,
  logoSize: 20,
};

/** Adds defaults and orders the fields, so that equal designs are equal as JSON. */
export function normalizeDesign(given: Partial<Design>): Design {
  const design = { ...defaultDesign, ...given };
  return Object.fromEntries(
    Object.keys(defaultDesign).map((name) => [name, design[name as keyof Design]]),
  ) as unknown as Design;
}

/** Ignores fields without effect, such as the text of a frame that is not drawn. */
export function isDefaultDesign(design: Design): boolean {
  const { moduleShape, eyeFrameShape, eyeBallShape, eyeFrameColor, eyeBallColor } = design;
  return (
    [moduleShape, eyeFrameShape, eyeBallShape].every((shape) => shape === 'square') &&
    [eyeFrameColor, eyeBallColor, design.gradientColor].every((color) => color === null) &&
    design.frame === 'none' &&
    design.logo === null &&
    !design.transparentBackground &&
    design.quietZone === minQuietZone
  );
}

/** Width and height of pictures. */
export const minPixels = 128;
export const maxPixels = 2_048;

/** The page of a PDF. */
export interface Print {
  /** Width of the trimmed picture. */
  widthMm: number;
  /** How far the background extends beyond the trim on each side. */
  bleedMm: number;
  cropMarks: boolean;
}

export const defaultPrint: Print = { widthMm: 50, bleedMm: 0, cropMarks: false };

export const printLimits = { widthMm: { min: 10, max: 1_000 }, bleedMm: { min: 0, max: 10 } } as const;
const maxDigits = 6;

/** Reads query parameters such as `widthMm=40&bleedMm=3&cropMarks`. Returns an error message if one is invalid. */
export function readPrint(parameters: Map<string, string[]>): Print | string {
  const print = { ...defaultPrint, cropMarks: parameters.has('cropMarks') };
  for (const name of ['widthMm', 'bleedMm'] as const) {
    const { min, max } = printLimits[name];
    for (const text of parameters.get(name) ?? []) {
      const value = text.length <= maxDigits && /^\d+(?:\.\d+)?$/.test(text) ? Number(text) : Number.NaN;
      if (!(value >= min && value <= max)) return `${name} must be a number from ${min} to ${max}.`;
      print[name] = value;
    }
  }
  return print;
}

interface Preset {
  name: string;
  design: Design;
}

const preset = (name: string, design: Partial<Design>): Preset => ({ name, design: normalizeDesign(design) });

/** Designs to start from. */
export const presets: Record<string, Preset> = {
  classic: preset('Classic', {}),
  soft: preset('Soft', { moduleShape: 'rounded', eyeFrameShape: 'rounded', eyeBallShape: 'rounded' }),
  dots: preset('Dots', { moduleShape: 'dots', eyeFrameShape: 'rounded', eyeBallShape: 'circle' }),
  leaf: preset('Leaf', {
    moduleShape: 'rounded',
    eyeFrameShape: 'leaf',
    eyeBallShape: 'leaf',
    gradientColor: '#14532d',
    gradientAngle: 45,
  }),
  banner: preset('Banner', {
    moduleShape: 'bars',
    eyeFrameShape: 'cut',
    eyeBallShape: 'octagon',
    frame: 'band',
    frameText: 'Scan me',
  }),
  card: preset('Card', {
    moduleShape: 'diamond',
    eyeFrameShape: 'cut',
    eyeBallShape: 'octagon',
    frame: 'card',
    frameText: 'Scan me',
  }),
};

/** Suggested frame texts in the languages of the share pages. */
export const frameTexts = {
  en: ['Scan me', 'Scan for the menu', 'Get in touch'],
  de: ['Scan mich', 'Zur Speisekarte', 'Jetzt scannen'],
  es: ['Escanéame', 'Ver la carta', 'Contáctanos'],
  fr: ['Scannez-moi', 'Voir la carte', 'Contactez-nous'],
  pt: ['Aponte a câmera', 'Ver o cardápio', 'Fale conosco'],
  zh: ['扫一扫', '扫码点餐', '联系我们'],
} as const;
