import { BlockList, isIP } from 'node:net';

const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8);
loopback.addAddress('::1', 'ipv6');

const insideOnly = new BlockList();
for (const [network, prefix] of [
  ['10.0.0.0', 8],
  ['172.16.0.0', 12],
  ['192.168.0.0', 16],
  ['169.254.0.0', 16],
  ['100.64.0.0', 10],
] as const) {
  insideOnly.addSubnet(network, prefix);
}
insideOnly.addSubnet('fc00::', 7, 'ipv6');
insideOnly.addSubnet('fe80::', 10, 'ipv6');

/** The host's name or address, without port and brackets. */
export function hostOf(url: string): string {
  return new URL(url).hostname.replace(/^\[|\]$/g, '');
}

export function isLoopback(host: string): boolean {
  return host === 'localhost' || host.endsWith('.localhost') || isIn(loopback, host);
}

/** Reached from inside one network only: by its address, or by a name that the world's DNS does not have. */
export function isPrivate(host: string): boolean {
  if (isIP(host)) return isLoopback(host) || isIn(insideOnly, host);
  return !host.includes('.') || /\.(local|lan|internal|home\.arpa)$/.test(host);
}

function isIn(list: BlockList, host: string): boolean {
  const family = isIP(host);
  return family !== 0 && list.check(host, family === 6 ? 'ipv6' : 'ipv4');
}
