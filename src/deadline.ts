export class DeadlineError extends Error {
  override name = 'DeadlineError';
}

/** Rejects when the promise is not settled in time. An answer that came while our own loop was busy is still in time. */
export function within<Value>(ms: number, promise: Promise<Value>): Promise<Value> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(
      () => setImmediate(() => reject(new DeadlineError(`No answer within ${ms} ms`))),
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
