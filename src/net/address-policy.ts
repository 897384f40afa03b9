import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

type Network = [ipaddr.IPv4 | ipaddr.IPv6, number];

/** Which addresses the service may connect to on behalf of a user. */
export interface AddressPolicy {
  /** `address` is what a socket connects to: an IPv4 or IPv6 address without brackets. */
  permits(address: string): boolean;
}

/** Global unicast. Other IPv6 addresses are local, or contain an IPv4 address that may be. */
const globalIpv6 = ipaddr.parseCIDR('2000::/3');
/** A public address that answers only inside Azure, with credentials of the machine. */
const metadataAddress = '168.63.129.16';

/** Public addresses, and those in `networks`, which the operator allows. */
export function createAddressPolicy(networks: readonly string[] = []): AddressPolicy {
  const allowed = networks.map((network) => ipaddr.parseCIDR(network));
  return {
    permits(address) {
      // Only the usual notation: ipaddr.js also reads 0177.1.
      if (isIP(address) === 0 || address.includes('%')) return false;
      const parsed = ipaddr.process(address);
      return allowed.some((network) => isIn(parsed, network)) || isPublic(parsed);
    },
  };
}

function isPublic(address: ipaddr.IPv4 | ipaddr.IPv6): boolean {
  if (address.range() !== 'unicast' || address.toString() === metadataAddress) return false;
  return address.kind() === 'ipv4' || isIn(address, globalIpv6);
}

function isIn(address: ipaddr.IPv4 | ipaddr.IPv6, [network, bits]: Network): boolean {
  return address.kind() === network.kind() && address.match(network, bits);
}
