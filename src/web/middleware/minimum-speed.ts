import type { Context } from 'koa';
import { AppError } from '../../errors.ts';
import { slotWantedOf } from './caller.ts';

interface Minimum {
  bytes: number;
  seconds: number;
}

/** 26 kbit/s: the slowest phones get a logo through. */
const minimum: Minimum = { bytes: 16 * 1024, seconds: 5 };
/** 400 kbit/s, while all slots are taken and somebody else waits for one. */
const wantedMinimum: Minimum = { bytes: 150 * 1024, seconds: 3 };

/**
 * Rejects when the body of a request that has one of the few slots arrives too slowly. A few accounts that send slowly would
 * otherwise keep everybody else from uploading.
 */
export function watchSpeed(ctx: Context): { tooSlow: Promise<never>; stop(): void } {
  const isWanted = slotWantedOf(ctx);
  const { socket } = ctx.req;
  /** What had arrived at each second, the newest first. */
  const received = [socket.bytesRead];
  const isBelow = ({ bytes, seconds }: Minimum) => {
    const [now = 0] = received;
    const before = received[seconds];
    return before !== undefined && now - before < bytes;
  };
  let timer: NodeJS.Timeout | undefined;
  const tooSlow = new Promise<never>((_resolve, reject) => {
    if (!isWanted) return;
    timer = setInterval(() => {
      received.unshift(socket.bytesRead);
      received.splice(minimum.seconds + 1);
      if (isBelow(minimum) || (isBelow(wantedMinimum) && isWanted())) reject(slowBody());
    }, 1_000).unref();
  });
  return { tooSlow, stop: () => clearInterval(timer) };
}

const slowBody = () =>
  new AppError('validation_error', 'The upload was too slow. Try again with a faster connection.', {
    status: 408,
    code: 'request_timeout',
  });
