import { AppError } from '../../errors.ts';

/** 26 kbit/s: the slowest phones get a logo through. */
const minimumBytes = 16 * 1024;
const checkEveryMs = 5_000;

/** Rejects when too few bytes have arrived since the last check: a slow body would keep one of the few slots. */
export function watchSpeed(received: () => number): { tooSlow: Promise<never>; stop(): void } {
  let before = 0;
  let timer: NodeJS.Timeout | undefined;
  const tooSlow = new Promise<never>((_resolve, reject) => {
    timer = setInterval(() => {
      if (received() - before < minimumBytes) reject(slowBody());
      before = received();
    }, checkEveryMs).unref();
  });
  return { tooSlow, stop: () => clearInterval(timer) };
}

const slowBody = () =>
  new AppError('validation_error', 'The upload was too slow. Try again with a faster connection.', {
    status: 408,
    code: 'request_timeout',
  });
