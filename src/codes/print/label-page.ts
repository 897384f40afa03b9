import { composeScene } from '../design/compose.ts';
import { defaultDesign } from '../design/design.ts';
import { compress, drawScene, newResources, pdfNumbers, type PdfPage, pointsPerMm } from '../design/pdf.ts';
import type { Scene } from '../design/scene.ts';
import type { Picture } from '../image/draw.ts';
import { fitText } from '../text/fit-text.ts';
import { unitsPerEm } from '../text/font-family.ts';
import { createGlyphTable, type DocumentGlyph, type GlyphTable, showLine } from '../text/pdf-text.ts';
import { type Box, fontSizesPoints, gapMm, type LabelLayout, lineHeightMm } from './labels.ts';

export interface PageRequest {
  widthMm: number;
  heightMm: number;
  layout: LabelLayout;
  labels: PageLabel[];
  font: PageFont;
}

/** The font of the names on several pages, before the page is drawn. */
interface PageFont {
  key: number;
  glyphs: DocumentGlyph[];
}

interface PageLabel {
  picture: Picture;
  name: string;
  /** The upper left corner of the label. */
  xMm: number;
  yMm: number;
}

export interface DrawnPage {
  page: PdfPage;
  /** Which the font needs for this page, too. */
  addedGlyphs: DocumentGlyph[];
}

/** Distance from the middle of a line to its baseline, relative to the font size. */
const baseline = 0.35;

export async function drawPage({ widthMm, heightMm, layout, labels, font }: PageRequest): Promise<DrawnPage> {
  const resources = newResources();
  const table = createGlyphTable(font.glyphs);
  const operators: string[] = [];
  for (const { picture, name, xMm, yMm } of labels) {
    const at = (box: Box) => ({ ...box, xMm: box.xMm + xMm, yMm: box.yMm + yMm });
    const scene = await composeScene(picture, picture.design ?? defaultDesign);
    operators.push(drawScene(scene, fitInto(at(layout.code), scene, heightMm), resources));
    if (layout.name)
      operators.push(await writeName(name, { ...layout.name, box: at(layout.name.box) }, heightMm, table));
  }
  if (layout.name) resources.font = font.key;
  const page = {
    boxes: { MediaBox: [0, 0, widthMm * pointsPerMm, heightMm * pointsPerMm] },
    content: compress(Buffer.from(operators.join('\n'), 'latin1')),
    resources,
  };
  return { page, addedGlyphs: table.added };
}

/** Centered and as large as the box allows. */
function fitInto({ xMm, yMm, widthMm, heightMm }: Box, { width, height }: Scene, pageHeightMm: number) {
  const scale = Math.min(widthMm / width, heightMm / height) * pointsPerMm;
  const left = (xMm + widthMm / 2) * pointsPerMm - (scale * width) / 2;
  const top = (pageHeightMm - yMm - heightMm / 2) * pointsPerMm + (scale * height) / 2;
  return { scale, left, top };
}

type NameLayout = NonNullable<LabelLayout['name']>;

async function writeName(
  name: string,
  { box, align, maxLines }: NameLayout,
  pageHeightMm: number,
  table: GlyphTable,
): Promise<string> {
  const width = box.widthMm * pointsPerMm;
  const { size, lines } = await fitText(name, { width, maxLines, sizes: fontSizesPoints });
  const lineHeight = lineHeightMm * pointsPerMm * (size / fontSizesPoints[0]);
  const left = box.xMm * pointsPerMm;
  // Starts at the top below a code, and is centered beside one.
  const spareHeight = box.heightMm * pointsPerMm - lines.length * lineHeight;
  const top = (pageHeightMm - box.yMm) * pointsPerMm - (align === 'center' ? 0 : spareHeight / 2);
  const written = lines.map((line, index) => {
    const spare = width - (line.width * size) / unitsPerEm;
    const shift = align === 'center' ? spare / 2 : line.isRightToLeft ? spare : 0;
    const y = top - (index + 0.5) * lineHeight - baseline * size;
    return showLine(line, { x: left + shift, y, size }, table);
  });
  return ['q', clip(box, pageHeightMm), '0 g', ...written, 'Q'].join('\n');
}

/** Towers of accents must not cover a code. */
function clip({ xMm, yMm, widthMm, heightMm }: Box, pageHeightMm: number): string {
  const corner = [xMm - gapMm, pageHeightMm - yMm - heightMm - gapMm];
  const sides = [widthMm + 2 * gapMm, heightMm + 2 * gapMm];
  return `${pdfNumbers(...[...corner, ...sides].map((mm) => mm * pointsPerMm))} re W n`;
}
