export class TimeoutError extends Error {
  override name = 'TimeoutError';
}

/** Rejects when the promise is not settled in time. An answer that came while our own loop was busy is still in time. */
export function withTimeout<Value>(ms: number, promise: Promise<Value>): Promise<Value> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(
      () => setImmediate(() => reject(new TimeoutError(`No answer within ${ms} ms`))),
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
