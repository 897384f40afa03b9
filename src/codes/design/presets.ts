import { type Design, normalizeDesign } from './design.ts';

interface Preset {
  name: string;
  design: Design;
}

const preset = (name: string, design: Partial<Design>): Preset => ({ name, design: normalizeDesign(design) });

/** Designs to start from. They have no colors of their own where those of the code will do. */
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
