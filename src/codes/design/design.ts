/** How a code looks, beyond its colors and its size. The defaults are the picture without a design. */
export interface Design {
  moduleShape: ModuleShape;
  eyeFrameShape: EyeFrameShape;
  eyeBallShape: EyeBallShape;
  /** #RRGGBB; null: like the modules. */
  eyeFrameColor: string | null;
  eyeBallColor: string | null;
  /** The second color of a gradient that starts with the foreground color. Null: no gradient. */
  gradientColor: string | null;
  gradientShape: GradientShape;
  /** Degrees, clockwise from left to right. */
  gradientAngle: number;
  transparentBackground: boolean;
  /** Modules. */
  quietZone: number;
  frame: FrameShape;
  frameText: string | null;
  frameColor: string | null;
  frameTextColor: string | null;
  /** The id of a stored logo. */
  logo: string | null;
  /** The longer side of the logo, in percent of the width of the symbol. */
  logoSize: number;
}

export const moduleShapes = ['square', 'rounded', 'dots', 'diamond', 'bars'] as const;
export type ModuleShape = (typeof moduleShapes)[number];

export const eyeFrameShapes = ['square', 'rounded', 'cut', 'leaf'] as const;
export type EyeFrameShape = (typeof eyeFrameShapes)[number];

export const eyeBallShapes = ['square', 'rounded', 'circle', 'leaf', 'octagon'] as const;
export type EyeBallShape = (typeof eyeBallShapes)[number];

export const gradientShapes = ['linear', 'radial'] as const;
export type GradientShape = (typeof gradientShapes)[number];

export const frameShapes = ['none', 'band', 'bubble', 'card'] as const;
export type FrameShape = (typeof frameShapes)[number];

/** The light margin that the standard requires. */
export const minQuietZone = 4;
/** A frame separates the symbol from what is around it, so its own margin may be narrower. */
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

/** The same values in the same order, so that equal designs are equal as JSON. */
export function normalizeDesign(given: Partial<Design>): Design {
  const design = { ...defaultDesign, ...given };
  return Object.fromEntries(
    Object.keys(defaultDesign).map((name) => [name, design[name as keyof Design]]),
  ) as unknown as Design;
}

/** Whether the picture is the one without a design. What has no effect, such as the text of no frame, is ignored. */
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
