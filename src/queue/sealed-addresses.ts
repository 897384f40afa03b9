import { createCipheriv, createDecipheriv, randomFillSync } from 'node:crypto';

const cipher = 'aes-256-gcm';
const nonceBytes = 12;
const tagBytes = 16;

// GCM must never use a nonce twice with one key: each process draws eight random bytes once, and four count its jobs.
const nonce = Buffer.alloc(nonceBytes);
let noncesLeft = 0;

function nextNonce(): Buffer {
  if (noncesLeft === 0) {
    randomFillSync(nonce);
    noncesLeft = 2 ** 32 - 1;
  }
  noncesLeft -= 1;
  nonce.writeUInt32LE(noncesLeft, 8);
  return nonce;
}

export function sealAddresses(addresses: string[], key: Uint8Array): string {
  const used = nextNonce();
  const sealer = createCipheriv(cipher, key, used, { authTagLength: tagBytes });
  const sealed = sealer.update(addresses.join('\n'), 'utf8');
  sealer.final();
  return Buffer.concat([used, sealer.getAuthTag(), sealed]).toString('base64');
}

/** None of the keys opens them: they were encrypted with another one, or tampered with. */
export class UnknownKeyError extends Error {
  override name = 'UnknownKeyError';
}

export function canOpen(sealed: string, keys: readonly Uint8Array[]): boolean {
  try {
    openAddresses(sealed, keys);
    return true;
  } catch {
    return false;
  }
}

/** Tries the keys in turn: during a rotation, some jobs are still encrypted with an earlier one. */
export function openAddresses(sealed: string, keys: readonly Uint8Array[]): string[] {
  const bytes = Buffer.from(sealed, 'base64');
  if (bytes.length < nonceBytes + tagBytes) throw new Error('The encrypted addresses of the job are cut off');
  for (const key of keys) {
    const addresses = tryOpen(bytes, key);
    if (addresses !== undefined) return addresses.split('\n');
  }
  throw new UnknownKeyError(
    'the client addresses of the job were encrypted with a root secret that this process does not have: add it to the end of QRELAY_SECRET',
  );
}

function tryOpen(bytes: Buffer, key: Uint8Array): string | undefined {
  const opener = createDecipheriv(cipher, key, bytes.subarray(0, nonceBytes), { authTagLength: tagBytes });
  opener.setAuthTag(bytes.subarray(nonceBytes, nonceBytes + tagBytes));
  const text = opener.update(bytes.subarray(nonceBytes + tagBytes));
  try {
    return Buffer.concat([text, opener.final()]).toString('utf8');
  } catch {
    return undefined;
  }
}
