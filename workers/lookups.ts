import { UAParser } from 'ua-parser-js';
import { unknownValues } from '../src/scans/dimensions.ts';
import { type DeviceClass, deviceClasses } from '../src/scans/scan.ts';
import { cachedLookup } from './cached-lookup.ts';
import type { Agent, Lookups } from './enrich.ts';
import type { Places } from './places.ts';

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

export function createLookups(places: Pick<Places, 'find'>): Lookups {
  return { agent: cachedLookup(readAgent), place: places.find };
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
