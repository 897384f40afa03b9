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

/** Throws if they were tampered with, or encrypted with another key. */
export function openAddresses(sealed: string, key: Uint8Array): string[] {
  const bytes = Buffer.from(sealed, 'base64');
  const opener = createDecipheriv(cipher, key, bytes.subarray(0, nonceBytes), { authTagLength: tagBytes });
  opener.setAuthTag(bytes.subarray(nonceBytes, nonceBytes + tagBytes));
  return Buffer.concat([opener.update(bytes.subarray(nonceBytes + tagBytes)), opener.final()])
    .toString('utf8')
    .split('\n');
}
