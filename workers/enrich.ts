import { UAParser } from 'ua-parser-js';
import type { RawScan } from '../src/queue/scan-jobs.ts';
import { unknownValues } from '../src/scans/dimensions.ts';
import type { Place } from '../src/scans/geo-database.ts';
import { scannedAtOf } from '../src/scans/scan-id.ts';
import { type DeviceClass, deviceClasses, type ScanRow } from '../src/scans/scan.ts';
import { cachedLookup, type Places } from './places.ts';

export interface Agent {
  device: DeviceClass;
  browser: string;
  os: string;
}

export interface Lookups {
  agent(userAgent: string): Agent;
  place(address: string): Place;
}

/** Pure. The client's address is used here, and stored nowhere. */
export function enrich(scan: RawScan, lookups: Lookups): ScanRow {
  return {
    id: scan.id,
    qrCodeId: scan.codeId,
    scannedAt: scannedAtOf(scan.id),
    ...lookups.place(scan.address),
    ...lookups.agent(scan.userAgent),
  };
}

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
