import { createCipheriv, createDecipheriv, randomFillSync } from 'node:crypto';

/** The one queue, and the one kind of job on it: many scans, recorded together. */
export const scanQueueName = 'scans';
export const scanJobName = 'record';

/** What the redirect knows of a scan. Its id carries the moment of the scan; enrichment is the worker's. */
export interface RawScan {
  id: string;
  codeId: string;
  userAgent: string;
  address: string;
}

/** As it lies in the queue: the addresses apart and sealed, because a queue is a table or a dump for somebody. */
export interface ScanJob {
  scans: [id: string, codeId: string, userAgent: string][];
  sealedAddresses: string;
}

const cipher = 'aes-256-gcm';
const nonceBytes = 12;
const tagBytes = 16;

// GCM must not see a nonce twice under one key: eight bytes are drawn once by each process, four count its jobs.
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
