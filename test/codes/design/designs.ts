import {
  type Design,
  eyeBallShapes,
  eyeFrameShapes,
  frameShapes,
  gradientShapes,
  moduleShapes,
  normalizeDesign,
} from '../../../src/codes/design/design.ts';
import type { Picture } from '../../../src/codes/image/draw.ts';

export const plain: Picture = {
  text: 'https://qr.test/r/abcdefghij',
  errorCorrection: 'M',
  size: 512,
  foregroundColor: '#1a1410',
  backgroundColor: '#ffffff',
};

export const designed = (design: Partial<Design>, picture: Partial<Picture> = {}): Picture => ({
  ...plain,
  ...picture,
  design: normalizeDesign(design),
});

/** Every value of every choice at least once. */
export const oneOfEach: Partial<Design>[] = [
  ...moduleShapes.map((moduleShape) => ({ moduleShape })),
  ...eyeFrameShapes.map((eyeFrameShape) => ({ eyeFrameShape })),
  ...eyeBallShapes.map((eyeBallShape) => ({ eyeBallShape })),
  ...gradientShapes.map((gradientShape) => ({ gradientShape, gradientColor: '#7a0060', gradientAngle: 30 })),
  ...frameShapes.map((frame) => ({ frame, frameText: 'Scan me', quietZone: frame === 'none' ? 4 : 2 })),
  { transparentBackground: true, eyeFrameColor: '#a00000', eyeBallColor: '#0000a0' },
  { quietZone: 10 },
];
