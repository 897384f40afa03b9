import { dayMs, hourMs } from '../runtime/units.ts';
import type { ColumnName } from '../scans/dimensions.ts';
import type { ScanRow } from '../scans/scan.ts';
import { newScanId } from '../scans/scan-id.ts';
import type { DemoCode } from './demo-codes.ts';
import { demoPlaces } from './demo-places.ts';
import { seededRandom } from './seeded-random.ts';

/** Every dimension but the country, which comes with the place. */
type Agent = Pick<ScanRow, Exclude<ColumnName, 'country'>> & { weight: number };

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
