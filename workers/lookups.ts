import geoip from 'geoip-lite';
import { LRUCache } from 'lru-cache';
import { UAParser } from 'ua-parser-js';
import { unknownValues } from '../src/scans/dimensions.ts';
import { type DeviceClass, deviceClasses } from '../src/scans/scan.ts';
import type { Agent, Lookups, Place } from './enrich.ts';

const maxNameLength = 64;

const desktopSystems = new Set([
  'Windows',
  'Mac OS',
  'macOS',
  'Linux',
  'Chromium OS',
  'Chrome OS',
  'Ubuntu',
  'Debian',
  'Fedora',
  'Mint',
  'Arch',
  'CentOS',
  'RedHat',
  'SUSE',
  'openSUSE',
  'Gentoo',
  'Mageia',
  'Mandriva',
  'Manjaro',
  'Slackware',
  'GNU',
  'FreeBSD',
  'OpenBSD',
  'NetBSD',
  'DragonFly',
  'Solaris',
  'Haiku',
  'BeOS',
  'OS/2',
  'AIX',
  'HP-UX',
]);

/** Each lookup has a bounded cache: most scans come from a few user agents, and in bursts from a few places. */
export function createLookups(): Lookups {
  const agents = new LRUCache<string, Agent>({ max: 10_000 });
  const places = new LRUCache<string, Place>({ max: 10_000 });
  return {
    agent: (userAgent) => cached(agents, userAgent, readAgent),
    place: (address) => cached(places, address, findPlace),
  };
}

function cached<Value extends object>(
  cache: LRUCache<string, Value>,
  key: string,
  find: (key: string) => Value,
): Value {
  const known = cache.get(key);
  if (known) return known;
  const found = find(key);
  cache.set(key, found);
  return found;
}

function readAgent(userAgent: string): Agent {
  const { browser, device, os } = new UAParser(userAgent).getResult();
  return {
    device: deviceClass(device.type, os.name),
    browser: nameOr(unknownValues.browser, browser.name),
    os: nameOr(unknownValues.os, os.name),
  };
}

/** Cut, because clients control it. */
function nameOr(unknown: string, name: string | undefined): string {
  return name?.slice(0, maxNameLength) ?? unknown;
}

function deviceClass(type: string | undefined, os: string | undefined): DeviceClass {
  const known = deviceClasses.find((name) => name === type);
  if (known) return known;
  return os !== undefined && desktopSystems.has(os) ? 'desktop' : 'unknown';
}

function findPlace(address: string): Place {
  const found = geoip.lookup(address);
  // For ranges with a country but no coordinates, geoip-lite returns empty strings or nulls.
  const [latitude, longitude] = found?.ll ?? [];
  return {
    country: found?.country || unknownValues.country,
    region: found?.region || null,
    city: found?.city || null,
    latitude: typeof latitude === 'number' ? latitude : null,
    longitude: typeof longitude === 'number' ? longitude : null,
  };
}
