/** Longer than a healthy disk takes to sync a few kilobytes, also under load. */
const defaultHungAfterMs = 250;

export class DiskHungError extends Error {
  override name = 'DiskHungError';
}

/** The only way to the files of a folder, one operation at a time. */
export interface DiskAccess {
  /** Rejects at once while an earlier operation hangs. Not for calls inside of each other. */
  run<Value>(work: () => Promise<Value>): Promise<Value>;
  /** Whether the disk has not responded to the current operation for too long. */
  isHung(): boolean;
}

/**
 * An operation on a disk that hangs cannot be canceled: it keeps one of the four threads that all files, host names and
 * compression of the process share. One at a time leaves the others free, and what is refused uses no memory.
 */
export function createDiskAccess(hungAfterMs = defaultHungAfterMs): DiskAccess {
  let last: Promise<unknown> = Promise.resolve();
  let hung = false;

  async function watched<Value>(work: () => Promise<Value>): Promise<Value> {
    let isDone = false;
    const timer = setTimeout(
      // A result that arrived while our own event loop was busy is handled first.
      () => setImmediate(() => (hung = !isDone)),
      hungAfterMs,
    ).unref();
    try {
      return await work();
    } finally {
      isDone = true;
      hung = false;
      clearTimeout(timer);
    }
  }

  return {
    run(work) {
      if (hung) return Promise.reject(new DiskHungError('The disk does not respond'));
      const done = last.then(() => watched(work));
      last = done.catch(() => undefined);
      return done;
    },
    isHung: () => hung,
  };
}
