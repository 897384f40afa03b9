import { createHmac, hkdfSync } from 'node:crypto';
import ipaddr from 'ipaddr.js';
import type { Database } from '../store/database.ts';

export interface ServiceSecrets {
  /** A keyed hash of a client address, which cannot be reversed without the secret. */
  hashAddress(address: string): string;
  /** The same for an email: what is typed at sign-in may be somebody's address even if they have no account. */
  hashEmail(email: string): string;
  /** Encrypts personal data of scan jobs, so that the queue does not hold it in plain text. */
  sealingKey: Buffer;
  /** Proves that an account was signed in before in this browser. */
  deviceToken(visitor: string, user: { id: string; passwordHash: string | null }): string;
  /** The token that a form must send back, derived from the visitor's cookie, which another site cannot read. */
  csrfToken(cookie: string): string;
}

export async function loadSecrets(db: Database): Promise<ServiceSecrets> {
  const [{ value: root }] = (await db('service_secrets').where({ name: 'root' }).select('value')) as [
    { value: Buffer },
  ];
  const addressKey = derive(root, 'client-address');
  const emailKey = derive(root, 'e-mail');
  const deviceKey = derive(root, 'device');
  const formKey = derive(root, 'form-token');
  return {
    hashAddress: (address) => keyedHash(addressKey, networkOf(address)),
    hashEmail: (email) => keyedHash(emailKey, email.toLowerCase()),
    sealingKey: derive(root, 'scan-job'),
    // Includes the password hash, so that a new password invalidates all earlier tokens.
    deviceToken: (visitor, { id, passwordHash }) => keyedHash(deviceKey, `${visitor} ${id} ${passwordHash}`),
    csrfToken: (cookie) => keyedHash(formKey, cookie),
  };
}

function keyedHash(key: Buffer, text: string): string {
  return createHmac('sha256', key).update(text).digest('base64url');
}

function derive(root: Buffer, purpose: string): Buffer {
  return Buffer.from(hkdfSync('sha256', root, '', purpose, 32));
}

/** An IPv6 client usually has a whole /64 of addresses, so the /64 counts as one client. */
function networkOf(address: string): string {
  if (!ipaddr.IPv6.isValid(address)) return address;
  const parsed = ipaddr.IPv6.parse(address);
  if (parsed.isIPv4MappedAddress()) return parsed.toIPv4Address().toString();
  return parsed.parts
    .slice(0, 4)
    .map((part) => part.toString(16))
    .join(':');
}
