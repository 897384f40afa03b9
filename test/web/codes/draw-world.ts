import { createRequire } from 'node:module';
import { type ExtendedFeatureCollection, geoNaturalEarth1, geoPath } from 'd3-geo';
import { feature } from 'topojson-client';
import { countryOfNumber } from '../../../src/web/codes/detail/countries.ts';
import type { world } from '../../../src/web/codes/detail/world.ts';

type Topology = Parameters<typeof feature>[0];
type Geometry = Parameters<typeof feature>[1];

const width = 800;
const antarctica = '010';

/** The outlines in src/web/codes/detail/world.ts, from the data of Natural Earth. */
export function drawWorld(): typeof world {
  const require = createRequire(import.meta.url);
  const atlas = require('world-atlas/countries-110m.json') as Topology;
  const { features } = feature(atlas, atlas.objects['countries'] as Geometry) as ExtendedFeatureCollection;
  // It would take a quarter of the picture, and hardly anybody scans there.
  const shown = {
    type: 'FeatureCollection' as const,
    features: features.filter(({ id }) => id !== antarctica),
  };
  const projection = geoNaturalEarth1().fitWidth(width, shown);
  const draw = geoPath(projection).digits(1);
  const [, [, bottom]] = draw.bounds(shown);
  return {
    width,
    height: Math.ceil(bottom),
    outlines: shown.features.map(
      (country) =>
        `${codeOf(country.id, String(country.properties?.['name'])) ?? ''}:${compact(draw(country) ?? '')}`,
    ),
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
