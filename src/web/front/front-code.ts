import { composeScene } from '../../codes/design/compose.ts';
import { type Design, normalizeDesign, presets } from '../../codes/design/design.ts';
import { moved } from '../../codes/design/scene.ts';
import type { Picture } from '../../codes/image/draw.ts';
import { sceneToSvg } from '../../codes/image/draw-picture.ts';
import { demoDesigns, demoLogo, demoLogoShapes, demoLogoSize, toDesign } from '../../demo/demo-designs.ts';

/** The codes on the landing page, as SVG. */
export interface FrontCodes {
  /** The one that people scan. */
  scanned: string;
  /** The same content in other designs. */
  samples: string[];
}

interface FrontCodesOptions {
  /** What the code opens. */
  scanned: string;
  /** What the samples open. */
  baseUrl: string;
  color: string;
}

/** Drawn with the shapes, eyes, frame and logo that every code can have. */
export async function drawFrontCodes({ scanned, baseUrl, color }: FrontCodesOptions): Promise<FrontCodes> {
  const look = { size: 320, foregroundColor: color, backgroundColor: '#ffffff' };
  return {
    scanned: await draw('scanned', {
      ...look,
      text: scanned,
      errorCorrection: 'H',
      design: toDesign({ ...demoDesigns.menu, gradientColor: null, frameText: 'Scan me' }, 'demo'),
      logo: demoLogo(color),
    }),
    samples: await Promise.all(
      samples.map(({ design, color: own }, index) =>
        draw(`sample${index}`, {
          ...look,
          foregroundColor: own ?? color,
          text: `${baseUrl}/`,
          errorCorrection: design.logo === null ? 'L' : 'H',
          design,
          ...(design.logo !== null && { logo: demoLogo(own ?? color) }),
        }),
      ),
    ),
  };
}

const sample = (design: Partial<Design>, color?: string) => ({
  design: normalizeDesign({ ...design, quietZone: 4 }),
  color,
});
const samples = [
  sample(
    { moduleShape: 'diamond', eyeFrameShape: 'rounded', eyeBallShape: 'circle', eyeBallColor: '#b35900' },
    '#1f2937',
  ),
  sample({ ...presets['leaf']?.design, gradientColor: '#be185d' }, '#5b21b6'),
  sample({ eyeFrameShape: 'cut', eyeBallShape: 'octagon', logo: 'demo' }, '#7f1d1d'),
  sample({ ...presets['soft']?.design }),
];

/** The logo is drawn as paths: pictures in `data:` URLs are not allowed on pages. `name` makes ids unique on the page. */
async function draw(name: string, picture: Picture & { design: Design }): Promise<string> {
  const scene = await composeScene(picture, picture.design);
  const { logo, shapes, ...rest } = scene;
  const drawn = logo
    ? demoLogoShapes(picture.foregroundColor).map(({ path, paint }) => ({
        path: moved(path, logo.x, logo.y, logo.width / demoLogoSize),
        paint,
      }))
    : [];
  const svg = sceneToSvg({ ...rest, shapes: [...shapes, ...drawn] }, picture.size);
  return svg.replaceAll('gradient0', `${name}-gradient`);
}
