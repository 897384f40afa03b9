import { unknownCountry } from '../../../scans/scan.ts';
import { figure, shortFigure } from '../../ui/words.tsx';
import { countryName } from './scan-line.tsx';
import { world } from './world.ts';

interface Box {
  left: number;
  top: number;
  right: number;
  bottom: number;
}

interface CountryCount {
  country: string;
  count: number;
}

/** Shades from this part of the largest number on: half and a quarter of it are told apart at a glance. */
const shadesFrom = [0, 0.03, 0.1, 0.25, 0.5];
/** The map shows where this part of the scans is, and not less than a third of the world: its outlines are coarse. */
const shownShare = 0.9;
const leastWidth = world.width / 3;
const margin = 20;

const countries = world.outlines.map((outline) => {
  const [code = '', path = ''] = outline.split(':');
  return { code, path, box: mainlandOf(path) };
});

/** Each country shaded by its number of scans, with a legend. The table beside it has the numbers. */
export function WorldMap({ byCountry }: { byCountry: CountryCount[] }) {
  const counts = new Map(byCountry.map(({ country, count }) => [country, count]));
  const known = byCountry.filter(({ country }) => country !== unknownCountry);
  const most = Math.max(1, ...known.map(({ count }) => count));
  const leaders = known.slice(0, 3).map(({ country, count }) => `${countryName(country)} ${figure(count)}`);
  const label = `World map of scans by country. Most: ${leaders.join(', ')}.`;
  return (
    <figure class="map">
      <svg class="world" viewBox={viewOf(known)} role="img" aria-label={label}>
        {countries.map(({ code, path }) => {
          const count = counts.get(code) ?? 0;
          if (code === '' || count === 0) return <path key={path} d={path} />;
          return (
            <path key={path} d={path} class={`shade-${shadeOf(count, most)}`}>
              <title>{`${countryName(code)}: ${figure(count)}`}</title>
            </path>
          );
        })}
      </svg>
      <Legend most={most} />
    </figure>
  );
}

/** From fewest to most. Shades that no whole number of scans has are left out. */
function Legend({ most }: { most: number }) {
  const starts = shadesFrom.map((share) => Math.max(1, Math.ceil(share * most)));
  const shown = starts
    .map((from, index) => ({ from, to: (starts[index + 1] ?? most + 1) - 1, shade: index + 1 }))
    .filter(({ from, to }) => to >= from);
  return (
    <figcaption class="legend">
      <span class="unseen">Scans by shade, from light to dark:</span>
      {shown.map(({ from, to, shade }) => (
        <span key={shade}>
          <svg viewBox="0 0 10 1" preserveAspectRatio="none" aria-hidden="true">
            <rect class={`shade-${shade}`} width="10" height="1" />
          </svg>
          {/* Where the shade begins; the next one begins where it ends. */}
          <span aria-hidden="true">{shortFigure(from)}</span>
          <span class="unseen">{from === to ? figure(from) : `${figure(from)}–${figure(to)}`}</span>
        </span>
      ))}
    </figcaption>
  );
}

function shadeOf(count: number, most: number): number {
  return shadesFrom.findLastIndex((share) => count >= Math.max(1, Math.ceil(share * most))) + 1;
}

/** The view box around the countries with most scans, in the proportions of the world. */
function viewOf(known: CountryCount[]): string {
  const total = known.reduce((sum, { count }) => sum + count, 0);
  let rest = shownShare * total;
  const boxes: Box[] = [];
  for (const { country, count } of known.toSorted((a, b) => b.count - a.count)) {
    if (rest <= 0) break;
    const found = countries.find(({ code }) => code === country);
    if (found) boxes.push(found.box);
    rest -= count;
  }
  if (boxes.length === 0) return `0 0 ${world.width} ${world.height}`;
  const left = Math.min(...boxes.map((box) => box.left)) - margin;
  const top = Math.min(...boxes.map((box) => box.top)) - margin;
  const right = Math.max(...boxes.map((box) => box.right)) + margin;
  const bottom = Math.max(...boxes.map((box) => box.bottom)) + margin;
  const ratio = world.width / world.height;
  const width = Math.min(world.width, Math.max(leastWidth, right - left, (bottom - top) * ratio));
  const height = width / ratio;
  const x = clamp((left + right - width) / 2, world.width - width);
  const y = clamp((top + bottom - height) / 2, world.height - height);
  return [x, y, width, height].map((value) => Math.round(value)).join(' ');
}

function clamp(value: number, most: number): number {
  return Math.min(Math.max(value, 0), most);
}

/** The largest part: distant islands would make the map small. Outlines are "M x y l dx dy …z", part by part. */
function mainlandOf(path: string): Box {
  const boxes = path
    .split('z')
    .filter(Boolean)
    .map((part) => {
      const [x = 0, y = 0, ...steps] = (part.match(/-?\d+/g) ?? []).map(Number);
      const box = { left: x, top: y, right: x, bottom: y };
      let [atX, atY] = [x, y];
      for (let index = 0; index + 1 < steps.length; index += 2) {
        atX += steps[index] ?? 0;
        atY += steps[index + 1] ?? 0;
        box.left = Math.min(box.left, atX);
        box.right = Math.max(box.right, atX);
        box.top = Math.min(box.top, atY);
        box.bottom = Math.max(box.bottom, atY);
      }
      return box;
    });
  const area = ({ left, top, right, bottom }: Box) => (right - left) * (bottom - top);
  return boxes.toSorted((a, b) => area(b) - area(a))[0] ?? { left: 0, top: 0, right: 0, bottom: 0 };
}
