import { defaultDesign, isDefaultDesign } from '../design/design.ts';
import { defaultPrint } from '../design/print.ts';
import { drawPng, drawSvg, type Picture } from './draw.ts';

export type ImageFormat = 'svg' | 'png' | 'pdf';

/** What only designs and PDFs need is loaded when it is first drawn. */
export async function drawPicture(picture: Picture, format: ImageFormat): Promise<Uint8Array> {
  const { design = defaultDesign, size, print = defaultPrint } = picture;
  if (format !== 'pdf' && isDefaultDesign(design)) {
    return format === 'svg' ? new TextEncoder().encode(drawSvg(picture)) : drawPng(picture);
  }
  const { composeScene } = await import('../design/compose.ts');
  const scene = await composeScene(picture, design);
  switch (format) {
    case 'svg': {
      const { sceneToSvg } = await import('../design/scene-svg.ts');
      return new TextEncoder().encode(sceneToSvg(scene, size));
    }
    case 'png': {
      const { rasterize } = await import('../design/rasterize.ts');
      const { pixelsToPng } = await import('../design/pixels-png.ts');
      return pixelsToPng(rasterize(scene, size));
    }
    case 'pdf': {
      const { sceneToPdf } = await import('../design/scene-pdf.ts');
      return sceneToPdf(scene, print);
    }
  }
}
