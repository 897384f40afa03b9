import { LRUCache } from 'lru-cache';

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
