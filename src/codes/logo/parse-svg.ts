import { SaxesParser, type SaxesTagNS } from 'saxes';
import type { Scene, Shape } from '../design/scene.ts';
import { asPng, ImageError, unsupported } from './logo-limits.ts';
import { shapePath } from './svg-paths.ts';
import { declarations, readRules, type StyleRules, type SvgStyle, withStyle } from './svg-style.ts';

const svgNamespace = 'http://www.w3.org/2000/svg';
const maxElements = 5_000;
const maxDepth = 64;
const maxSegments = 100_000;
/** Of one side to the other. */
const maxRatio = 20;

const containers = new Set(['svg', 'g']);
const shapes = new Set(['path', 'rect', 'circle', 'ellipse', 'polygon', 'polyline']);
/** Nothing in them is drawn. */
const ignored = new Set(['title', 'desc', 'metadata', 'defs']);

/** Whether it is worth parsing: whatever else it is, it is no image. */
export function looksLikeSvg(file: Buffer): boolean {
  return file.subarray(0, 4_096).includes('<') && file.includes('<svg');
}

interface Level {
  style: SvgStyle;
  transforms: string[];
  isIgnored: boolean;
}

/** The filled shapes of an SVG. Whatever else could be drawn, loaded or run is refused. */
export function parseSvg(file: Buffer): Scene {
  const scene: Scene = { width: 0, height: 0, shapes: [] };
  const levels: Level[] = [];
  let rules: StyleRules = new Map();
  let styleText: string | undefined;
  let origin = '';
  let [elements, segments] = [0, 0];

  function open(tag: SaxesTagNS): void {
    const parent = levels.at(-1);
    elements += 1;
    if (elements > maxElements || levels.length > maxDepth) throw unsupported('too many elements');
    const { local, uri } = tag;
    if (!parent && (local !== 'svg' || uri !== svgNamespace))
      throw new ImageError(`must be an SVG file, which starts with <svg xmlns="${svgNamespace}">`);
    const attributes = new Map(
      Object.values(tag.attributes).map(({ name, value }) => [name.toLowerCase(), value]),
    );
    // Elements of editors, such as Inkscape's, are not drawn, but could be scripts of XHTML.
    if (uri !== svgNamespace && /xhtml|html/i.test(uri)) throw unsupported(`<${local.slice(0, 30)}>`);
    for (const name of attributes.keys()) {
      if (name.startsWith('on')) throw unsupported(`the script ${name.slice(0, 30)}`);
      if (name === 'href' || name === 'xlink:href') throw unsupported('links');
    }
    if (local === 'style' && uri === svgNamespace) {
      styleText = '';
      levels.push({ ...(parent as Level), isIgnored: true });
      return;
    }
    const isIgnored = parent?.isIgnored === true || uri !== svgNamespace || ignored.has(local);
    if (!isIgnored && !containers.has(local) && !shapes.has(local))
      throw unsupported(`<${local.slice(0, 30)}>`);
    if (/^(?:script|foreignObject|image|use|iframe|animate|set)$/i.test(local))
      throw unsupported(`<${local}>`);
    if (!parent) origin = readSize(attributes, scene);
    const style = withStyle(parent?.style, [
      attributes,
      ...(attributes.get('class') ?? '').split(/\s+/, 20).flatMap((name) => rules.get(name) ?? []),
      declarations(attributes.get('style') ?? ''),
    ]);
    const transforms = [...(parent?.transforms ?? [origin]), attributes.get('transform') ?? ''];
    levels.push({ style, transforms, isIgnored });
    if (isIgnored || !shapes.has(local) || style.fill === undefined || !style.isShown) return;
    const path = shapePath(local, attributes, transforms.filter(Boolean).toReversed());
    segments += path.length;
    if (segments > maxSegments) throw unsupported('too many points');
    const shape: Shape = { path, paint: style.fill, isEvenOdd: style.isEvenOdd };
    scene.shapes.push(shape);
  }

  function close(): void {
    levels.pop();
    if (styleText === undefined) return;
    rules = new Map([...rules, ...readRules(styleText)]);
    styleText = undefined;
  }

  const parser = new SaxesParser({ xmlns: true });
  parser.on('error', (error) => {
    throw error;
  });
  parser.on('doctype', (doctype) => {
    // Entities can be endless, or be the content of other files.
    if (doctype.includes('[') || /ENTITY/i.test(doctype)) throw unsupported('declarations of entities');
  });
  parser.on('processinginstruction', () => {
    throw unsupported('processing instructions');
  });
  const addText = (text: string) => {
    if (styleText !== undefined) styleText += text;
  };
  parser.on('text', addText);
  parser.on('cdata', addText);
  parser.on('opentag', open);
  parser.on('closetag', close);
  try {
    parser.write(decodeUtf8(file)).close();
  } catch (error) {
    if (error instanceof ImageError) throw error;
    throw new ImageError(`is not a valid SVG file: ${asPng}`);
  }
  return scene;
}

function decodeUtf8(file: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(file);
  } catch {
    throw new ImageError('must be encoded in UTF-8: save the SVG again, or export it as PNG');
  }
}

/** Sets the size of the scene; returns the transform to its upper left corner. */
function readSize(attributes: Map<string, string>, scene: Scene): string {
  const box = (attributes.get('viewbox') ?? '')
    .slice(0, 200)
    .trim()
    .split(/[\s,]+/)
    .map(Number);
  const side = (name: string) => Number.parseFloat((attributes.get(name) ?? '').slice(0, 20));
  const [x = 0, y = 0, width = 0, height = 0] =
    box.length === 4 ? box : [0, 0, side('width'), side('height')];
  const isFine = [x, y, width, height].every((value) => Math.abs(value) < 1e6) && width > 0 && height > 0;
  if (!isFine)
    throw new ImageError('must have a viewBox, or a width and a height: save the SVG again with one');
  if (width / height > maxRatio || height / width > maxRatio)
    throw new ImageError(`must be at most ${maxRatio} times as wide as high: crop it`);
  scene.width = width;
  scene.height = height;
  return `translate(${-x} ${-y})`;
}
