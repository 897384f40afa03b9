import { createRequire } from 'node:module';
import { type ExtendedFeatureCollection, geoNaturalEarth1, geoPath } from 'd3-geo';
import { feature } from 'topojson-client';
import type { world } from '../../../src/web/codes/detail/world.ts';

/** ISO 3166-1: the map has numeric codes, scans have letters. */
const numbered = [
  '004AF 008AL 012DZ 024AO 031AZ 032AR 036AU 040AT 044BS 050BD 051AM 056BE 064BT 068BO 070BA 072BW 076BR',
  '084BZ 090SB 096BN 100BG 104MM 108BI 112BY 116KH 120CM 124CA 140CF 144LK 148TD 152CL 156CN 158TW 170CO',
  '178CG 180CD 188CR 191HR 192CU 196CY 203CZ 204BJ 208DK 214DO 218EC 222SV 226GQ 231ET 232ER 233EE 238FK',
  '242FJ 246FI 250FR 260TF 262DJ 266GA 268GE 270GM 275PS 276DE 288GH 300GR 304GL 320GT 324GN 328GY 332HT',
  '340HN 348HU 352IS 356IN 360ID 364IR 368IQ 372IE 376IL 380IT 384CI 388JM 392JP 398KZ 400JO 404KE 408KP',
  '410KR 414KW 417KG 418LA 422LB 426LS 428LV 430LR 434LY 440LT 442LU 450MG 454MW 458MY 466ML 478MR 484MX',
  '496MN 498MD 499ME 504MA 508MZ 512OM 516NA 524NP 528NL 540NC 548VU 554NZ 558NI 562NE 566NG 578NO 586PK',
  '591PA 598PG 600PY 604PE 608PH 616PL 620PT 624GW 626TL 630PR 634QA 642RO 643RU 646RW 682SA 686SN 688RS',
  '694SL 703SK 704VN 705SI 706SO 710ZA 716ZW 724ES 728SS 729SD 732EH 740SR 748SZ 752SE 756CH 760SY 762TJ',
  '764TH 768TG 780TT 784AE 788TN 792TR 795TM 800UG 804UA 807MK 818EG 826GB 834TZ 840US 854BF 858UY 860UZ',
  '862VE 887YE 894ZM',
].join(' ');

const countryOfNumber: ReadonlyMap<string, string> = new Map(
  numbered.split(' ').map((entry) => [entry.slice(0, 3), entry.slice(3)]),
);

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
