import geoip from 'geoip-lite';
import { LRUCache } from 'lru-cache';
import { UAParser } from 'ua-parser-js';
import { type DeviceClass, deviceClasses, unknownCountry } from '../src/scans/scan.ts';
import type { Agent, LookUps, Place } from './enrich.ts';

const longestName = 64;

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

/** The real look-ups, each behind a bounded memory: scans come from few user agents and in bursts from few places. */
export function createLookUps(): LookUps {
  const agents = new LRUCache<string, Agent>({ max: 10_000 });
  const places = new LRUCache<string, Place>({ max: 10_000 });
  return {
    agent: (userAgent) => remembered(agents, userAgent, readAgent),
    place: (address) => remembered(places, address, findPlace),
  };
}

function remembered<Value extends object>(
  memory: LRUCache<string, Value>,
  key: string,
  find: (key: string) => Value,
): Value {
  const known = memory.get(key);
  if (known) return known;
  const found = find(key);
  memory.set(key, found);
  return found;
}

function readAgent(userAgent: string): Agent {
  const { browser, device, os } = new UAParser(userAgent).getResult();
  return {
    device: deviceClass(device.type, os.name),
    browser: browser.name?.slice(0, longestName) ?? 'Unknown',
    os: os.name?.slice(0, longestName) ?? 'Unknown',
  };
}

function deviceClass(type: string | undefined, os: string | undefined): DeviceClass {
  const known = deviceClasses.find((name) => name === type);
  if (known) return known;
  return os !== undefined && desktopSystems.has(os) ? 'desktop' : 'unknown';
}

function findPlace(address: string): Place {
  const found = geoip.lookup(address);
  // Some ranges have a country but no point: geoip-lite then gives empty strings or nulls.
  const [latitude, longitude] = found?.ll ?? [];
  return {
    country: found?.country || unknownCountry,
    region: found?.region || null,
    city: found?.city || null,
    latitude: typeof latitude === 'number' ? latitude : null,
    longitude: typeof longitude === 'number' ? longitude : null,
  };
}
