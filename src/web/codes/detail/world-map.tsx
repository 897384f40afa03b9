import { createRequire } from 'node:module';
import { type ExtendedFeatureCollection, geoNaturalEarth1, geoPath } from 'd3-geo';
import { feature } from 'topojson-client';
import { unknownCountry } from '../../../scans/scan.ts';
import { countryName, countryOfNumber } from './countries.ts';
import { figure } from '../../ui/figure.ts';

interface Country {
  /** Undefined for land whose country has no code: no scan can come from there. */
  code: string | undefined;
  path: string;
}

type Topology = Parameters<typeof feature>[0];
type Geometry = Parameters<typeof feature>[1];

const width = 800;
const antarctica = '010';
const classes = 5;

const { countries, height } = drawWorld();

/** Each country shaded by its share of the scans. The table beside it has the numbers. */
export function WorldMap({ byCountry }: { byCountry: { country: string; count: number }[] }) {
  const counts = new Map(byCountry.map(({ country, count }) => [country, count]));
  const known = byCountry.filter(({ country }) => country !== unknownCountry);
  const most = Math.max(1, ...known.map(({ count }) => count));
  const leaders = known.slice(0, 3).map(({ country, count }) => `${countryName(country)} ${figure(count)}`);
  const label = `World map of scans by country. Most: ${leaders.join(', ')}.`;
  return (
    <svg class="world" viewBox={`0 0 ${width} ${height}`} role="img" aria-label={label}>
      {countries.map(({ code, path }) => {
        const count = code === undefined ? 0 : (counts.get(code) ?? 0);
        if (code === undefined || count === 0) return <path key={path} d={path} />;
        return (
          <path key={path} d={path} class={`shade-${shade(count, most)}`}>
            <title>{`${countryName(code)}: ${figure(count)}`}</title>
          </path>
        );
      })}
    </svg>
  );
}

/** Logarithmic, so that 10 and 100 scans differ beside a country with thousands. */
function shade(count: number, most: number): number {
  if (most === 1) return classes;
  return Math.max(1, Math.ceil((Math.log(count + 1) / Math.log(most + 1)) * classes));
}

function drawWorld(): { countries: Country[]; height: number } {
  const require = createRequire(import.meta.url);
  const world = require('world-atlas/countries-110m.json') as Topology;
  const { features } = feature(world, world.objects['countries'] as Geometry) as ExtendedFeatureCollection;
  // It would take a quarter of the picture, and hardly anybody scans there.
  const shown = {
    type: 'FeatureCollection' as const,
    features: features.filter(({ id }) => id !== antarctica),
  };
  const projection = geoNaturalEarth1().fitWidth(width, shown);
  const draw = geoPath(projection).digits(1);
  const [, [, bottom]] = draw.bounds(shown);
  return {
    height: Math.ceil(bottom),
    countries: shown.features.map((country) => ({
      code: codeOf(country.id, String(country.properties?.['name'])),
      path: compact(draw(country) ?? ''),
    })),
  };
}

function codeOf(id: string | number | undefined, name: string): string | undefined {
  // Not in ISO 3166-1; XK is the code in common use.
  if (name === 'Kosovo') return 'XK';
  return id === undefined ? undefined : countryOfNumber.get(String(id).padStart(3, '0'));
}

/** Rounded, relative coordinates without repeated points: less than half as long. */
function compact(path: string): string {
  const rings = path
    .split('M')
    .slice(1)
    .map((ring) => ring.replace('Z', '').split('L').map(toPoint));
  const drawn = rings.map(compactRing);
  const large = drawn.filter(({ points }) => points > 2);
  // A country smaller than one unit becomes a dot.
  return (large.length > 0 ? large : drawn.slice(0, 1)).map(({ text }) => text).join('');
}

function compactRing(ring: number[][]): { text: string; points: number } {
  let [atX, atY] = [Number.NaN, Number.NaN];
  let text = '';
  let points = 0;
  for (const [x = 0, y = 0] of ring) {
    if (x === atX && y === atY) continue;
    if (points === 0) text = `M${x} ${y}`;
    else text += `${points === 1 ? 'l' : ' '}${x - atX} ${y - atY}`;
    [atX, atY] = [x, y];
    points += 1;
  }
  return { text: points === 1 ? `${text}h1v1h-1z` : `${text}z`, points };
}

function toPoint(pair: string): number[] {
  return pair.split(',').map((part) => Math.round(Number(part)));
}
