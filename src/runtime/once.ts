/** Makes the value at the first call. After a failure, also one of a promise, the next call tries again. */
export function once<Value>(make: () => Value): () => Value {
  let made: { value: Value } | undefined;
  return () => {
    if (made) return made.value;
    const own = { value: make() };
    made = own;
    if (own.value instanceof Promise)
      own.value.catch(() => {
        made = undefined;
      });
    return own.value;
  };
}

/** While a call is under way, further calls share its result, whatever their arguments. */
export function joinCalls<Args extends unknown[], Value>(
  work: (...args: Args) => Promise<Value>,
): (...args: Args) => Promise<Value> {
  let running: Promise<Value> | undefined;
  return (...args) => {
    running ??= work(...args).finally(() => {
      running = undefined;
    });
    return running;
  };
}
