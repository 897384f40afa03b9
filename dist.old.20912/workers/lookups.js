import geoip from 'geoip-lite';
import { LRUCache } from 'lru-cache';
import { UAParser } from 'ua-parser-js';
import { unknownValues } from '../src/scans/dimensions.js';
import { deviceClasses } from '../src/scans/scan.js';
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
export function createLookups() {
  const agents = new LRUCache({ max: 10_000 });
  const places = new LRUCache({ max: 10_000 });
  return {
    agent: (userAgent) => cached(agents, userAgent, readAgent),
    place: (address) => cached(places, address, findPlace),
  };
}
function cached(cache, key, find) {
  const known = cache.get(key);
  if (known) return known;
  const found = find(key);
  cache.set(key, found);
  return found;
}
function readAgent(userAgent) {
  const { browser, device, os } = new UAParser(userAgent).getResult();
  return {
    device: deviceClass(device.type, os.name),
    browser: nameOr(unknownValues.browser, browser.name),
    os: nameOr(unknownValues.os, os.name),
  };
}
/** Cut, because clients control it. */
function nameOr(unknown, name) {
  return name?.slice(0, maxNameLength) ?? unknown;
}
function deviceClass(type, os) {
  const known = deviceClasses.find((name) => name === type);
  if (known) return known;
  return os !== undefined && desktopSystems.has(os) ? 'desktop' : 'unknown';
}
function findPlace(address) {
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
//# sourceMappingURL=lookups.js.map
