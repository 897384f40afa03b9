/** However often it is called, `read` is called no more often than once in `maxAgeMs`. */
export function cached<Value>(read: () => Promise<Value>, maxAgeMs: number): () => Promise<Value> {
  let latest: Promise<Value> | undefined;
  let readAt = 0;
  return () => {
    if (!latest || performance.now() - readAt > maxAgeMs) {
      readAt = performance.now();
      latest = read();
    }
    return latest;
  };
}
