import svgpath from 'svgpath';
import { type Path, roundedRectangle } from '../design/scene.ts';
import { unsupported } from './logo-limits.ts';

type Attributes = Map<string, string>;

const maxNumberLength = 30;
const maxPoints = 200_000;
/** Of coordinates: what is drawn is at most a million wide. */
const largest = 1e7;

/** The outline of a shape in the coordinates of the picture. `transforms` are applied in this order. */
export function shapePath(element: string, attributes: Attributes, transforms: string[]): Path {
  const data = pathData(element, attributes);
  if (data === '') return [];
  const parsed = svgpath(data);
  const { err, segments } = parsed as unknown as { err: string; segments: unknown[] };
  if (err) throw unsupported('a path that cannot be read');
  // Before they are transformed, which would take seconds.
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
      // The same curve as a cubic one.
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
