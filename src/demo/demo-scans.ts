import { dayMs, hourMs } from '../runtime/units.ts';
import { newScanId } from '../scans/scan-id.ts';
import type { ScanRow } from '../scans/scan.ts';
import type { DemoCode } from './demo-codes.ts';

/** What a user agent tells. */
type Agent = Pick<ScanRow, 'device' | 'browser' | 'os'> & { weight: number };

/** With the names of ua-parser-js. Most people scan with phones; the others opened the link in another way. */
const agents: Agent[] = [
  { device: 'mobile', browser: 'Mobile Safari', os: 'iOS', weight: 470 },
  { device: 'mobile', browser: 'Chrome', os: 'Android', weight: 300 },
  { device: 'mobile', browser: 'Samsung Browser', os: 'Android', weight: 62 },
  { device: 'mobile', browser: 'Instagram', os: 'iOS', weight: 30 },
  { device: 'mobile', browser: 'Firefox', os: 'Android', weight: 18 },
  { device: 'mobile', browser: 'Chrome', os: 'iOS', weight: 24 },
  { device: 'tablet', browser: 'Mobile Safari', os: 'iOS', weight: 21 },
  { device: 'tablet', browser: 'Chrome', os: 'Android', weight: 9 },
  { device: 'desktop', browser: 'Chrome', os: 'Windows', weight: 22 },
  { device: 'desktop', browser: 'Safari', os: 'Mac OS', weight: 13 },
  { device: 'desktop', browser: 'Edge', os: 'Windows', weight: 10 },
  { device: 'desktop', browser: 'Chrome', os: 'Mac OS', weight: 8 },
  { device: 'desktop', browser: 'Firefox', os: 'Linux', weight: 5 },
  { device: 'wearable', browser: 'Chrome', os: 'Android', weight: 1 },
  { device: 'unknown', browser: 'Unknown', os: 'Unknown', weight: 7 },
];

/** Weight of each hour of the local day: few scans at night, most at noon and after work. */
const hours = [2, 1, 1, 1, 1, 3, 9, 22, 38, 46, 50, 58, 74, 70, 56, 54, 58, 66, 72, 64, 48, 32, 17, 7];

/** A demo code that is stored in the database. */
export interface StoredDemoCode extends Pick<DemoCode, 'weight' | 'weekend'> {
  id: string;
  createdAt: Date;
}

interface DemoScansOptions {
  count: number;
  seed: number;
  now: Date;
}

/**
 * The scans from the creation of the codes until now, oldest first, as the worker would record them. The same seed and
 * time give the same scans, except for the random part of their ids.
 */
export function makeDemoScans(codes: StoredDemoCode[], { count, seed, now }: DemoScansOptions): ScanRow[] {
  const random = seededRandom(seed);
  const pickCode = picker(
    codes.map((code) => ({ ...code, pickDay: picker(daysOf(code, now, random), random) })),
    random,
  );
  const pickPlace = picker(demoPlaces, random);
  const pickAgent = picker(agents, random);
  const pickHour = picker(
    hours.map((weight, hour) => ({ weight, hour })),
    random,
  );
  const rows: ScanRow[] = [];
  while (rows.length < count) {
    const { id: qrCodeId, createdAt, pickDay } = pickCode();
    const { weight: _ofPlace, offsetHours, ...place } = pickPlace();
    const { weight: _ofAgent, ...agent } = pickAgent();
    const atMs = pickDay().startMs + Math.floor((pickHour().hour - offsetHours + random()) * hourMs);
    // Not before the code was created and not in the future.
    if (atMs < createdAt.getTime() || atMs >= now.getTime()) continue;
    rows.push({
      id: newScanId(atMs),
      qrCodeId,
      scannedAt: new Date(atMs),
      ...place,
      ...agent,
    });
  }
  return rows.toSorted((one, other) => one.scannedAt.getTime() - other.scannedAt.getTime());
}

/** Each day since a code was created, weighted by growth over the months, day of the week and some noise. */
function daysOf({ createdAt, weekend }: StoredDemoCode, now: Date, random: () => number) {
  const yearMs = 365 * dayMs;
  const days: { startMs: number; weight: number }[] = [];
  for (let startMs = startOfDay(createdAt); startMs <= now.getTime(); startMs += dayMs) {
    const growth = 1 + 2.5 * (1 - (now.getTime() - startMs) / yearMs);
    const isWeekend = [0, 6].includes(new Date(startMs).getUTCDay());
    // An occasional peak, as after a popular post.
    const event = random() < 0.02 ? 2.4 : 1;
    days.push({ startMs, weight: growth * (isWeekend ? weekend : 1) * (0.8 + 0.4 * random()) * event });
  }
  return days;
}

export function startOfDay(moment: Date): number {
  return Math.floor(moment.getTime() / dayMs) * dayMs;
}

/** Picks items at random, in proportion to their weights. */
function picker<Item extends { weight: number }>(items: Item[], random: () => number): () => Item {
  let sum = 0;
  const ends = items.map(({ weight }) => (sum += weight));
  return () => {
    const point = random() * sum;
    let low = 0;
    let high = ends.length - 1;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((ends[middle] as number) > point) high = middle;
      else low = middle + 1;
    }
    return items[low] as Item;
  };
}

type DemoPlace = Pick<ScanRow, 'country' | 'region' | 'city' | 'latitude' | 'longitude'> & {
  weight: number;
  /** Approximate hours ahead of UTC, so that scans happen in waking hours. */
  offsetHours: number;
};

/** Country and UTC offset, then region, city, latitude, longitude and weight of each city. */
const table = `
DE +1: HH Hamburg 53.5507 9.993 260; BE Berlin 52.5196 13.4069 120; BY Munich 48.1371 11.5754 62; HE Frankfurt am Main 50.1169 8.6837 40; NW Cologne 50.9361 6.9408 38; HB Bremen 53.0736 8.8064 30; SH Kiel 54.3227 10.1356 22; SN Leipzig 51.3452 12.3859 18; NI Hanover 52.3705 9.7332 18; BW Stuttgart 48.7667 9.1833 16; SH Lübeck 53.8689 10.6873 14; NW Düsseldorf 51.2217 6.7762 12; SN Dresden 51.0509 13.7383 9; BY Nuremberg 49.4478 11.0683 7
US -5: NY New York 40.7128 -74.006 46; CA Los Angeles 34.0544 -118.2441 26; IL Chicago 41.8835 -87.6305 18; CA San Francisco 37.7749 -122.4194 17; WA Seattle 47.6043 -122.3298 13; TX Austin 30.2711 -97.7437 11; MA Boston 42.3584 -71.0598 9; OR Portland 45.5234 -122.6762 8; FL Miami 25.7741 -80.1936 6; CO Denver 39.7388 -104.9868 5
GB 0: ENG London 51.5085 -0.1257 58; ENG Manchester 53.4809 -2.2374 13; SCT Edinburgh 55.9521 -3.1965 10; ENG Bristol 51.4552 -2.5966 7; SCT Glasgow 55.8651 -4.2576 5
DK +1: 84 Copenhagen 55.6759 12.5655 36; 82 Aarhus 56.1567 10.2108 9
NL +1: NH Amsterdam 52.374 4.8897 27; ZH Rotterdam 51.9225 4.4792 10; UT Utrecht 52.0908 5.1222 6
FR +1: IDF Paris 48.8534 2.3488 24; ARA Lyon 45.7485 4.8467 7; PAC Marseille 43.297 5.3811 4
AT +1: 9 Vienna 48.2085 16.3721 20; 5 Salzburg 47.7994 13.044 4
CH +1: ZH Zurich 47.3667 8.55 15; BS Basel 47.5584 7.5733 4
SE +1: AB Stockholm 59.3326 18.0649 13; O Gothenburg 57.7072 11.9668 5
PL +1: 14 Warsaw 52.2298 21.0118 9; 22 Gdańsk 54.3523 18.6491 4
ES +1: MD Madrid 40.4165 -3.7026 8; CT Barcelona 41.3888 2.159 8
IT +1: 25 Milan 45.4643 9.1895 8; 62 Rome 41.8919 12.5113 5
NO +1: 03 Oslo 59.9127 10.7461 7
BE +1: BRU Brussels 50.8505 4.3488 6
CA -5: ON Toronto 43.7064 -79.3986 6; BC Vancouver 49.2497 -123.1193 4
PT 0: 11 Lisbon 38.7167 -9.1333 5
CZ +1: 10 Prague 50.088 14.4208 5
FI +2: 18 Helsinki 60.1695 24.9354 4
IE 0: L Dublin 53.3331 -6.2489 4
JP +9: 13 Tokyo 35.6895 139.6917 4
AU +10: NSW Sydney -33.8678 151.2073 3; VIC Melbourne -37.814 144.9633 3
BR -3: SP São Paulo -23.5475 -46.6361 3
IN +5: KA Bengaluru 12.9719 77.5937 3
TR +3: 34 Istanbul 41.0138 28.9497 2
MX -6: CMX Mexico City 19.4285 -99.1277 2
KR +9: 11 Seoul 37.566 126.9784 2
SG +8: 01 Singapore 1.2897 103.8501 2
ZA +2: WC Cape Town -33.9258 18.4232 1.5
GR +2: I Athens 37.9838 23.7278 1.5
HU +1: BU Budapest 47.498 19.0399 1.5
AE +4: DU Dubai 25.0731 55.298 1
NZ +12: AUK Auckland -36.8535 174.7656 1
AR -3: C Buenos Aires -34.6132 -58.3772 1
CO -5: DC Bogotá 4.6097 -74.0818 0.7
KE +3: 30 Nairobi -1.2833 36.8167 0.5
IS 0: 1 Reykjavik 64.1355 -21.8954 0.5`;

const cityForm = /^(\S+) (.+) (\S+) (\S+) (\S+)$/;

function readCountry(line: string): DemoPlace[] {
  const country = line.slice(0, 2);
  const colon = line.indexOf(':');
  const offsetHours = Number(line.slice(3, colon));
  const cities = line.slice(colon + 2).split('; ');
  return cities.map((entry) => {
    const [, region = '', city = '', latitude, longitude, weight] = cityForm.exec(entry) ?? [];
    return {
      country,
      region,
      city,
      latitude: Number(latitude),
      longitude: Number(longitude),
      weight: Number(weight),
      offsetHours,
    };
  });
}

const nowhere = { region: null, city: null, latitude: null, longitude: null };

/** A few countries have most of the scans, and some addresses have no known location. */
const demoPlaces: DemoPlace[] = [
  ...table.trim().split('\n').flatMap(readCountry),
  { ...nowhere, country: 'DE', latitude: 51.2993, longitude: 9.491, weight: 45, offsetHours: 1 },
  { ...nowhere, country: 'US', latitude: 37.751, longitude: -97.822, weight: 15, offsetHours: -6 },
  { ...nowhere, country: 'ZZ', weight: 14, offsetHours: 1 },
];

/** Numbers from 0 to below 1 that the seed determines (mulberry32); Math.random cannot be seeded. */
export function seededRandom(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
