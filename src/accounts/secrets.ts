import { createHmac, hkdfSync } from 'node:crypto';
import type { Database } from '../store/database.ts';

export interface ServiceSecrets {
  /** Turns a client address into a name that cannot be read back without the secret. */
  disguiseAddress(address: string): string;
  /** The same for an e-mail: what was typed at the sign-in may be somebody's, whether or not they have an account. */
  disguiseEmail(email: string): string;
  /** Seals what travels through the queue and must not lie there readable. */
  sealingKey: Buffer;
  /** Marks a browser as one in which an account was signed in before. */
  deviceMark(visitor: string, user: { id: string; passwordHash: string | null }): string;
  /** What a form must bring back, by the cookie it was made for: another site can read neither. */
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
    disguiseAddress: (address) => keyedHash(addressKey, network(address)),
    disguiseEmail: (email) => keyedHash(emailKey, email.toLowerCase()),
    sealingKey: derive(root, 'scan-job'),
    // With another password it is another mark: what was gathered before is of no use.
    deviceMark: (visitor, { id, passwordHash }) => keyedHash(deviceKey, `${visitor} ${id} ${passwordHash}`),
    csrfToken: (cookie) => keyedHash(formKey, cookie),
  };
}

function keyedHash(key: Buffer, text: string): string {
  return createHmac('sha256', key).update(text).digest('base64url');
}

function derive(root: Buffer, purpose: string): Buffer {
  return Buffer.from(hkdfSync('sha256', root, '', purpose, 32));
}

/** One household of IPv6 has a whole /64 to choose from; it counts as one client. */
function network(address: string): string {
  if (!address.includes(':')) return address;
  const [head = '', tail] = address.split('::');
  const groups = head.split(':').filter(Boolean);
  if (tail !== undefined) {
    const tailGroups = tail.split(':').filter(Boolean);
    while (groups.length + tailGroups.length < 8) groups.push('0');
    groups.push(...tailGroups);
  }
  return groups
    .slice(0, 4)
    .map((group) => group.toLowerCase().replace(/^0+(?=.)/, ''))
    .join(':');
}
