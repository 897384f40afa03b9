import { SaxesParser, type SaxesTagNS } from 'saxes';
import svgpath from 'svgpath';
import { type Path, roundedRectangle, type Scene, type Shape } from '../design/scene.ts';
import { createStyleSheet, inlineStyle, type SvgStyle, withStyle } from './svg-style.ts';
import { asPng, ImageError, unsupported } from './upload.ts';

const svgNamespace = 'http://www.w3.org/2000/svg';
const maxElements = 5_000;
const maxDepth = 64;
const maxSegments = 100_000;
/** Aspect ratio. */
const maxRatio = 20;

const containers = new Set(['svg', 'g']);
const shapes = new Set(['path', 'rect', 'circle', 'ellipse', 'polygon', 'polyline']);
/** Their content is not drawn. */
const ignored = new Set(['title', 'desc', 'metadata', 'defs']);

export function looksLikeSvg(file: Buffer): boolean {
  return file.subarray(0, 4_096).includes('<') && file.includes('<svg');
}

interface Level {
  style: SvgStyle;
  transforms: string[];
  isIgnored: boolean;
}

/** Reads the filled shapes of an SVG. Anything else that could be drawn, loaded or run is rejected. */
export function parseSvg(file: Buffer): Scene {
  const scene: Scene = { width: 0, height: 0, shapes: [] };
  const levels: Level[] = [];
  const styleSheet = createStyleSheet();
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
    // Elements of editors such as Inkscape are ignored, but XHTML could contain scripts.
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
      ...styleSheet.rulesOf(attributes.get('class') ?? ''),
      inlineStyle(attributes.get('style') ?? ''),
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
    styleSheet.add(styleText);
    styleText = undefined;
  }

  const parser = new SaxesParser({ xmlns: true });
  parser.on('error', (error) => {
    throw error;
  });
  parser.on('doctype', (doctype) => {
    // Entities can expand endlessly or include files.
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

type Attributes = Map<string, string>;

const maxNumberLength = 30;
const maxPoints = 200_000;
/** Coordinates. The viewBox is at most a million wide. */
const largest = 1e7;

/** The outline of a shape in the coordinates of the picture. `transforms` are applied in this order. */
function shapePath(element: string, attributes: Attributes, transforms: string[]): Path {
  const data = pathData(element, attributes);
  if (data === '') return [];
  const parsed = svgpath(data);
  const { err, segments } = parsed as unknown as { err: string; segments: unknown[] };
  if (err) throw unsupported('a path that cannot be read');
  // Transforming more would take seconds.
  if (segments.length > maxPoints) throw unsupported('too many points');
  for (const transform of transforms) parsed.transform(transform.slice(0, 500));
  const path: Path = [];
  parsed
    .abs()
    .unshort()
    .unarc()
    .iterate((segment, _index, x, y) => {
      if (path.length > maxPoints) throw unsupported('too many points');
      path.push(...toSegments(segment, x, y));
    });
  if (path.some(([, ...numbers]) => numbers.some((value) => !(Math.abs(value) < largest))))
    throw unsupported('coordinates that are too large');
  return path;
}

function toSegments([kind, ...numbers]: [string, ...number[]], x: number, y: number): Path {
  const [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0] = numbers;
  switch (kind) {
    case 'M':
      return [['M', a, b]];
    case 'L':
      return [['L', a, b]];
    case 'H':
      return [['L', a, y]];
    case 'V':
      return [['L', x, a]];
    case 'C':
      return [['C', a, b, c, d, e, f]];
    case 'Q': {
      // Converted to a cubic curve.
      const near = (from: number, control: number) => from + (2 * (control - from)) / 3;
      return [['C', near(x, a), near(y, b), near(c, a), near(d, b), c, d]];
    }
    default:
      return [['Z']];
  }
}

function pathData(element: string, attributes: Attributes): string {
  const number = (name: string) => {
    const value = Number.parseFloat((attributes.get(name) ?? '0').slice(0, maxNumberLength));
    return Number.isFinite(value) ? value : 0;
  };
  switch (element) {
    case 'path':
      return attributes.get('d') ?? '';
    case 'polygon':
    case 'polyline': {
      const points = (attributes.get('points') ?? '').trim();
      return points === '' ? '' : `M${points}Z`;
    }
    case 'rect': {
      const [width, height] = [number('width'), number('height')];
      if (width <= 0 || height <= 0) return '';
      const given = number(attributes.has('rx') ? 'rx' : 'ry');
      const radius = Math.min(Math.max(0, given), width / 2, height / 2);
      return write(
        roundedRectangle(number('x'), number('y'), width, height, [radius, radius, radius, radius]),
      );
    }
    default: {
      const [rx, ry] = element === 'circle' ? [number('r'), number('r')] : [number('rx'), number('ry')];
      if (rx <= 0 || ry <= 0) return '';
      const [left, y] = [number('cx') - rx, number('cy')];
      return `M${left} ${y}a${rx} ${ry} 0 1 0 ${2 * rx} 0a${rx} ${ry} 0 1 0 ${-2 * rx} 0z`;
    }
  }
}

const write = (path: Path) => path.map(([kind, ...numbers]) => kind + numbers.join(' ')).join('');
