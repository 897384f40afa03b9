import { unknownCountry } from '../../../scans/scan.ts';
import { countryName } from './countries.ts';
import { figure } from '../../ui/figure.ts';
import { world } from './world.ts';

const classes = 5;
const { width, height } = world;
const countries = world.outlines.map((outline) => {
  const [code = '', path = ''] = outline.split(':');
  return { code, path };
});

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
        const count = counts.get(code) ?? 0;
        if (code === '' || count === 0) return <path key={path} d={path} />;
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
