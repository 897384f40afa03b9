export class TimeoutError extends Error {
  override name = 'TimeoutError';
}

/** Rejects when the promise has not settled in time. A result that arrived while our own event loop was busy still counts. */
export function withTimeout<Value>(ms: number, promise: Promise<Value>): Promise<Value> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(
      () => setImmediate(() => reject(new TimeoutError(`No response within ${ms} ms`))),
      ms,
    );
    promise.then(
      (value) => {
        clearTimeout(timer);
        resolve(value);
      },
      (error: unknown) => {
        clearTimeout(timer);
        reject(error);
      },
    );
  });
}
