import type { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import { dayMs } from '../runtime/units.ts';
import { type Finding, findingsFor, type Subject } from './finding.ts';
import { pluralize } from './format.ts';
import { isLoopback, isPrivate } from './host-range.ts';

/** Before this many days, an authority that renews automatically has done it. */
const daysToRenew = 14;

/** What an open connection says about itself. */
export interface Encryption {
  /** Undefined for a Unix socket. */
  address: string | undefined;
  /** Undefined without TLS. */
  tls: { version: string; isVerified: boolean; validUntil: Date } | undefined;
}

interface Remedies {
  encrypt: string;
  verify: string;
}

export function readEncryption(socket: Socket): Encryption {
  const address = socket.remoteAddress;
  if (!(socket instanceof TLSSocket)) return { address, tls: undefined };
  return {
    address,
    tls: {
      version: socket.getProtocol() ?? 'TLS',
      isVerified: socket.authorized,
      validUntil: new Date(socket.getPeerCertificate().valid_to),
    },
  };
}

/** Nothing is said about a connection that does not leave this machine. */
export function assessEncryption(
  subject: Subject,
  server: string,
  { address, tls }: Encryption,
  { encrypt, verify }: Remedies,
  nowMs: number,
): Finding[] {
  const { ok, warning } = findingsFor(subject);
  if (!tls) {
    if (address === undefined || isLoopback(address)) return [];
    const message = `The connection to ${server} (${address}) is not encrypted`;
    return isPrivate(address)
      ? [ok(`${message}: it must stay in a network that you trust.`)]
      : [
          warning(
            `${message}, and leaves the private network: others can read and change what is sent, and see the password.`,
            encrypt,
          ),
        ];
  }
  if (!tls.isVerified) {
    return [
      warning(
        `The connection to ${server} is encrypted, but its certificate is not checked: another server could take its place.`,
        verify,
      ),
    ];
  }
  const days = Math.floor((tls.validUntil.getTime() - nowMs) / dayMs);
  const message = `The connection to ${server} is encrypted (${tls.version}), with a certificate that is valid until ${tls.validUntil.toISOString().slice(0, 10)}`;
  return days < daysToRenew
    ? [
        warning(
          `${message}, ${pluralize(Math.max(0, days), 'day')} from now: after that, nothing connects any more.`,
          'Renew it on the server, and find out why it was not renewed automatically.',
        ),
      ]
    : [ok(`${message}.`)];
}
