import { createCipheriv, createDecipheriv, createHash, createHmac, randomBytes } from 'node:crypto';

const prefix = 'whsec_';
const secretBytes = 32;
const cipherName = 'aes-256-gcm';
const ivBytes = 12;
const tagBytes = 16;

export function generateSecret(): string {
  return `${prefix}${randomBytes(secretBytes).toString('base64')}`;
}

/** The headers of a request by Standard Webhooks, with a signature for each secret. */
export function signedHeaders(
  { id, body, secrets }: { id: string; body: string; secrets: readonly string[] },
  now: Date,
): Record<string, string> {
  const timestamp = Math.floor(now.getTime() / 1000);
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.slice(prefix.length), 'base64');
    return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`;
  });
  return {
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': signatures.join(' '),
  };
}

/** Encrypts the secrets of endpoints with a key that the database does not have. */
export interface SecretBox {
  /** Stored with what is sealed, to find what an earlier key has sealed. */
  keyName: string;
  seal(secret: string): Buffer;
  /** With any of the keys. Throws if none fits. */
  open(sealed: Buffer): string;
  /** Undefined if none fits. */
  tryOpen(sealed: Buffer): string | undefined;
}

export function createSecretBox(keys: readonly [Buffer, ...Buffer[]]): SecretBox {
  const [newest] = keys;
  function tryOpen(sealed: Buffer): string | undefined {
    for (const key of keys) {
      const secret = openWith(sealed, key);
      if (secret !== undefined) return secret;
    }
    return undefined;
  }
  return {
    keyName: createHash('sha256').update(newest).digest('hex').slice(0, 16),
    seal(secret) {
      const iv = randomBytes(ivBytes);
      const cipher = createCipheriv(cipherName, newest, iv);
      const encrypted = Buffer.concat([cipher.update(secret, 'utf8'), cipher.final()]);
      return Buffer.concat([iv, cipher.getAuthTag(), encrypted]);
    },
    tryOpen,
    open(sealed) {
      const secret = tryOpen(sealed);
      if (secret !== undefined) return secret;
      throw new Error(
        'The secret of a webhook endpoint cannot be decrypted with the root secrets of this process',
      );
    },
  };
}

function openWith(sealed: Buffer, key: Buffer): string | undefined {
  const decipher = createDecipheriv(cipherName, key, sealed.subarray(0, ivBytes));
  decipher.setAuthTag(sealed.subarray(ivBytes, ivBytes + tagBytes));
  const encrypted = sealed.subarray(ivBytes + tagBytes);
  try {
    return Buffer.concat([decipher.update(encrypted), decipher.final()]).toString('utf8');
  } catch {
    // Sealed with another key.
    return undefined;
  }
}
