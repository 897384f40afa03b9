import { type Design, normalizeDesign } from '../codes/design/design.ts';
import { rasterize } from '../codes/design/rasterize.ts';
import { circle, type Path, reversed, roundedRectangle, type Shape } from '../codes/design/scene.ts';
import { pixelsToPng } from '../codes/image/pixels.ts';

/** What a demo code looks like beside its foreground color. The logo is that of the roastery. */
export type DemoDesign = Partial<Omit<Design, 'logo'>> & { hasLogo?: boolean };

/** Widths at which phones read the demo designs, at most. A test proves it. */
export const demoReadsAtMm = 25;

export const demoDesigns = {
  menu: {
    moduleShape: 'rounded',
    eyeFrameShape: 'rounded',
    eyeBallShape: 'circle',
    gradientColor: '#0b5d52',
    gradientAngle: 45,
    frame: 'card',
    frameText: 'Scan for the menu',
    quietZone: 3,
    hasLogo: true,
  },
  wifi: {
    moduleShape: 'dots',
    eyeFrameShape: 'rounded',
    eyeBallShape: 'circle',
    frame: 'bubble',
    frameText: 'Free Wi-Fi',
  },
  cups: {
    moduleShape: 'rounded',
    eyeFrameShape: 'leaf',
    eyeBallShape: 'leaf',
    gradientColor: '#b3306b',
    gradientAngle: 45,
  },
  window: {
    moduleShape: 'bars',
    eyeFrameShape: 'rounded',
    eyeBallShape: 'rounded',
    frame: 'band',
    frameText: 'Order ahead',
  },
  bags: { moduleShape: 'dots', eyeFrameShape: 'rounded', eyeBallShape: 'rounded', hasLogo: true },
} satisfies Record<string, DemoDesign>;

/** Width and height of the logo. */
export const demoLogoSize = 96;

/** A cup with steam in a circle, drawn here so that no picture has to be shipped. */
export function demoLogoShapes(color: string): Shape[] {
  const cup: Path = roundedRectangle(26, 42, 36, 30, [2, 2, 14, 14]);
  const handle: Path = [...circle(63, 53, 10), ...reversed(circle(63, 53, 5))];
  const steam = [36, 44, 52].flatMap((x): Path => roundedRectangle(x - 2, 24, 4, 13, [2, 2, 2, 2]));
  const saucer: Path = roundedRectangle(22, 75, 44, 5, [2.5, 2.5, 2.5, 2.5]);
  return [
    { path: circle(48, 48, 48), paint: color },
    ...[handle, cup, steam, saucer].map((path) => ({ path, paint: '#ffffff' })),
  ];
}

export function demoLogo(color: string): Uint8Array {
  const scene = { width: demoLogoSize, height: demoLogoSize, shapes: demoLogoShapes(color) };
  return new Uint8Array(pixelsToPng(rasterize(scene, demoLogoSize)));
}

export function toDesign({ hasLogo = false, ...design }: DemoDesign, logo: string): Design {
  return normalizeDesign({ ...design, logo: hasLogo ? logo : null });
}
