import { isIP, isIPv4 } from 'node:net';

/** An IPv6 address with a zone, in brackets, with a port. */
const longestAddress = 100;

/**
 * The address of the client: the socket's, or the one that the outermost of `trustedHops` proxies saw.
 * X-Forwarded-For is read from the right, because everything left of what our own proxies wrote can be made up.
 */
export function clientAddress(
  socketAddress = '',
  forwarded: string | undefined,
  trustedHops: number,
): string {
  if (trustedHops === 0 || forwarded === undefined) return plainAddress(socketAddress);
  const seen = plainAddress(fromRight(forwarded, trustedHops));
  return isIP(seen) ? seen : plainAddress(socketAddress);
}

/** The part that stands this far from the right, or the leftmost. The others are not looked at, however many there are. */
function fromRight(list: string, place: number): string {
  let end = list.length;
  let comma = list.lastIndexOf(',');
  for (let passed = 1; passed < place && comma >= 0; passed += 1) {
    end = comma;
    comma = comma === 0 ? -1 : list.lastIndexOf(',', comma - 1);
  }
  const part = list.slice(comma + 1, end).trim();
  return part.length <= longestAddress ? part : '';
}

/** `::ffff:1.2.3.4`, `::ffff:102:304`, `1.2.3.4:5678` and `[::1]:5678` without what is around the address. */
function plainAddress(text: string): string {
  // Nothing around it, as on most sockets: not a redirect's time for more.
  if (!text.includes(':')) return text;
  if (text.startsWith('::ffff:') && isIPv4(text.slice(7))) return text.slice(7);
  const bracketed = /^\[([^\]]+)\](?::\d+)?$/.exec(text)?.[1] ?? text;
  const mapped =
    /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(bracketed)?.[1] ?? fromHexadecimal(bracketed) ?? bracketed;
  return /^(\d+\.\d+\.\d+\.\d+):\d+$/.exec(mapped)?.[1] ?? mapped;
}

function fromHexadecimal(text: string): string | undefined {
  const [, high, low] = /^::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})$/i.exec(text) ?? [];
  if (high === undefined || low === undefined) return undefined;
  return [high, low]
    .flatMap((group) => [Number.parseInt(group, 16) >> 8, Number.parseInt(group, 16) & 255])
    .join('.');
}
