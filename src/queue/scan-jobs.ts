import { createCipheriv, createDecipheriv, randomFillSync } from 'node:crypto';
import { type Static, Type } from 'typebox';

/** A scan as the redirect sees it. Its id holds the time of the scan; the worker adds the rest. */
export interface RawScan {
  id: string;
  codeId: string;
  userAgent: string;
  address: string;
}

/**
 * A batch of scans, in the queue and in the spool. The client addresses are encrypted, because people can read a queue:
 * in a table, in a dump, on the queue board.
 */
export const scanJobContract = Type.Object({
  /** Id, code id and user agent of each scan. */
  scans: Type.Array(Type.Tuple([Type.String(), Type.String(), Type.String()])),
  sealedAddresses: Type.String(),
});
export type ScanJob = Static<typeof scanJobContract>;

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

export function packScans(scans: RawScan[], key: Uint8Array): ScanJob {
  const used = nextNonce();
  const sealer = createCipheriv(cipher, key, used, { authTagLength: tagBytes });
  const sealed = sealer.update(scans.map(({ address }) => address).join('\n'), 'utf8');
  sealer.final();
  return {
    scans: scans.map(({ id, codeId, userAgent }) => [id, codeId, userAgent]),
    sealedAddresses: Buffer.concat([used, sealer.getAuthTag(), sealed]).toString('base64'),
  };
}

export function unpackScans(job: ScanJob, key: Buffer): RawScan[] {
  const bytes = Buffer.from(job.sealedAddresses, 'base64');
  const opener = createDecipheriv(cipher, key, bytes.subarray(0, nonceBytes), { authTagLength: tagBytes });
  opener.setAuthTag(bytes.subarray(nonceBytes, nonceBytes + tagBytes));
  const addresses = Buffer.concat([opener.update(bytes.subarray(nonceBytes + tagBytes)), opener.final()])
    .toString('utf8')
    .split('\n');
  return job.scans.map(([id, codeId, userAgent], index) => ({
    id,
    codeId,
    userAgent,
    address: addresses[index] ?? '',
  }));
}
