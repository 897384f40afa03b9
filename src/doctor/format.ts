const megabyte = 1024 * 1024;
const gigabyte = 1024 * megabyte;

export function sizeInWords(bytes: number): string {
  if (bytes >= gigabyte) return `${(bytes / gigabyte).toFixed(1)} GB`;
  if (bytes >= megabyte) return `${Math.round(bytes / megabyte)} MB`;
  return `${Math.ceil(bytes / 1024)} kB`;
}

/** Roughly, in the largest unit that is at least two of it: "90 minutes", "3 days". */
export function timeInWords(ms: number): string {
  const seconds = Math.round(ms / 1000);
  for (const [unit, length] of [
    ['days', 86_400],
    ['hours', 3_600],
    ['minutes', 60],
  ] as const) {
    if (seconds >= 2 * length) return `${Math.floor(seconds / length)} ${unit}`;
  }
  return count(seconds, 'second');
}

export function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}

/** Somebody else's words for the end of a sentence of ours: some bring a full stop, some do not. */
export function withoutStop(text: string): string {
  return text.replace(/\.$/, '');
}

/** Where a server is, of an address that may hold a password. */
export function serverOf(address: string): string {
  const { host, pathname } = new URL(address);
  // With an @ in it, it is the rest of a password.
  const name = pathname === '/' || pathname.includes('@') ? '' : pathname;
  return `${host}${name}`;
}
