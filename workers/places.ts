import { stat } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { LRUCache } from 'lru-cache';
import { SetupError } from '../src/errors.ts';
import {
  type GeoDatabase,
  GeoDatabaseError,
  type Place,
  readGeoDatabase,
  unknownPlace,
} from '../src/scans/geo-database.ts';
import { readGeoDataDate } from '../src/scans/geo-source.ts';
import type { Log } from '../src/telemetry/log.ts';
import { throttle } from '../src/telemetry/throttle.ts';

/** Where addresses are, by the database that is in use at the moment. */
export interface Places {
  find(address: string): Place;
  source: 'file' | 'bundled';
  /** When the data was made, if known. */
  madeAt(): Date | undefined;
  close(): void;
}

/** GEO_DATABASE, or geoip-lite's data. Only one of them is loaded: each takes a hundred megabytes or so. */
export async function openPlaces(file: string | undefined, log: Log): Promise<Places> {
  if (file !== undefined) return openGeoDatabase(file, log);
  const madeAt = readGeoDataDate();
  return { ...bundledPlaces(), source: 'bundled', madeAt: () => madeAt };
}

const unloadAfterMs = 10 * 60_000;
const require = createRequire(import.meta.url);

/**
 * geoip-lite's data, 146 MB of it, read for the first scan and dropped when none has come for a while: a service that is
 * hardly used runs on a small machine. To read it takes a tenth of a second.
 */
export function bundledPlaces(idleMs = unloadAfterMs): Pick<Places, 'find' | 'close'> {
  type GeoIp = typeof import('geoip-lite');
  let geoip: GeoIp | undefined;
  let isLoaded = false;
  let usedAt = 0;
  let unloading: NodeJS.Timeout | undefined;

  function load(): GeoIp {
    usedAt = performance.now();
    if (geoip && isLoaded) return geoip;
    if (geoip) geoip.reloadDataSync();
    // Reads its data when it is loaded.
    else geoip = require('geoip-lite') as GeoIp;
    isLoaded = true;
    unloading = setInterval(unloadIfIdle, idleMs).unref();
    return geoip;
  }

  function unloadIfIdle(): void {
    if (performance.now() - usedAt < idleMs) return;
    clearInterval(unloading);
    isLoaded = false;
    geoip?.clear();
    collectGarbage();
  }

  const find = cachedLookup((address: string): Place => {
    const found = load().lookup(address);
    // For ranges with a country but no coordinates, geoip-lite returns empty strings or nulls.
    const [latitude, longitude] = found?.ll ?? [];
    return {
      country: found?.country || unknownPlace.country,
      region: found?.region || null,
      city: found?.city || null,
      latitude: typeof latitude === 'number' ? latitude : null,
      longitude: typeof longitude === 'number' ? longitude : null,
    };
  });
  return { find, close: () => clearInterval(unloading) };
}

/** An idle process allocates too little to ever collect what it has dropped. */
function collectGarbage(): void {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
}

/**
 * Polled, because file events do not reach a mounted volume or follow a symbolic link. A file that is being written is left
 * alone until it has not changed from one poll to the next.
 */
const pollEveryMs = 10_000;

/** Uses the file, and its successors whenever it is replaced or rewritten. Rejects if it cannot be used at the start. */
export async function openGeoDatabase(file: string, log: Log, pollMs = pollEveryMs): Promise<Places> {
  let seen = await fingerprint(file);
  /** The version that was read last, whether it could be used or not. */
  let read = seen;
  let isPolling = false;
  /** Why the versions since the one in use were rejected: a slow download would say it again and again. */
  let rejected = '';
  let { database, find } = withCache(await readFirst(file));
  log.info({ file, type: database.type, madeAt: database.madeAt }, 'GEO_DATABASE is loaded');

  async function poll(): Promise<void> {
    const now = await fingerprint(file);
    const isStable = now === seen;
    seen = now;
    if (!isStable || now === read) return;
    read = now;
    try {
      ({ database, find } = withCache(await readGeoDatabase(file)));
      rejected = '';
      log.info(
        { file, type: database.type, madeAt: database.madeAt },
        'GEO_DATABASE has changed and is loaded',
      );
    } catch (error) {
      if (!(error instanceof GeoDatabaseError)) throw error;
      if (error.message === rejected) return;
      rejected = error.message;
      log.warn(
        { file, reason: error.message, madeAt: database.madeAt },
        `the new GEO_DATABASE cannot be used; the one loaded before stays in use. ${error.remedy}`,
      );
    }
  }

  function withCache(opened: GeoDatabase) {
    const logDamaged = throttle((err, times) =>
      log.warn({ err, times, file }, 'GEO_DATABASE is damaged; scans are recorded without a place'),
    );
    // Belongs to this version: the places of the one before are dropped with it.
    const lookUp = cachedLookup((address: string): Place => {
      try {
        return opened.find(address);
      } catch (error) {
        logDamaged(error);
        return unknownPlace;
      }
    });
    return { database: opened, find: lookUp };
  }

  const polling = setInterval(() => {
    if (isPolling) return;
    isPolling = true;
    poll()
      .catch((err: unknown) => log.warn({ err, file }, 'GEO_DATABASE could not be checked for changes'))
      .finally(() => {
        isPolling = false;
      });
  }, pollMs).unref();
  return {
    find: (address) => find(address),
    source: 'file',
    madeAt: () => database.madeAt,
    close: () => clearInterval(polling),
  };
}

async function readFirst(file: string): Promise<GeoDatabase> {
  try {
    return await readGeoDatabase(file);
  } catch (error) {
    if (!(error instanceof GeoDatabaseError)) throw error;
    throw new SetupError(
      `GEO_DATABASE is ${file}, which ${error.message}: the worker does not start. ${error.remedy} Without GEO_DATABASE, the data of geoip-lite is used.`,
      { cause: error },
    );
  }
}

/** Differs for another file at this path, also behind a symbolic link, and after a change of its content. */
async function fingerprint(file: string): Promise<string> {
  try {
    const { dev, ino, size, mtimeNs } = await stat(file, { bigint: true });
    return [dev, ino, size, mtimeNs].join();
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? 'unreadable';
  }
}

/** A lookup with a bounded cache: most scans come from a few user agents, and in bursts from a few places. */
export function cachedLookup<Value extends object>(find: (key: string) => Value): (key: string) => Value {
  const cache = new LRUCache<string, Value>({ max: 10_000 });
  return (key) => {
    const known = cache.get(key);
    if (known) return known;
    const found = find(key);
    cache.set(key, found);
    return found;
  };
}
