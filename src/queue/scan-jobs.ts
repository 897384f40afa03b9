import { createCipheriv, createDecipheriv, randomFillSync } from 'node:crypto';
import type { Static } from 'typebox';
import { Type } from '../schema.ts';

/** A scan as the redirect sees it. Its id holds the time of the scan; the worker adds the rest. */
export interface RawScan {
  id: string;
  codeId: string;
  userAgent: string;
  address: string;
  /** The `traceparent` of a scan that is traced: few are. */
  trace?: string;
}

/** Index of the scan in the job, and its `traceparent`. Absent if no scan is traced, and ignored by earlier releases. */
const traces = Type.Optional(Type.Array(Type.Tuple([Type.Integer(), Type.String()])));

/**
 * A batch of scans, in the queue and in the spool. Codes and user agents are there once, and a scan is its id and their
 * indexes. The client addresses are encrypted, because people can read a queue: in a table, in a dump, on the queue board.
 */
const packedScanJob = Type.Object({
  codes: Type.Array(Type.String()),
  userAgents: Type.Array(Type.String()),
  /** Base64: for each scan 16 bytes of its id, and 2 bytes each for the indexes of its code and user agent. */
  packedScans: Type.String(),
  sealedAddresses: Type.String(),
  traces,
});

/** As release 0.1 wrote it, and as scans are stored that cannot be packed. */
const listedScanJob = Type.Object({
  /** Id, code id and user agent of each scan. */
  scans: Type.Array(Type.Tuple([Type.String(), Type.String(), Type.String()])),
  sealedAddresses: Type.String(),
  traces,
});

export const scanJobContract = Type.Union([packedScanJob, listedScanJob]);
export type ScanJob = Static<typeof scanJobContract>;

const idBytes = 16;
const bytesPerScan = idBytes + 4;
const maxIndexes = 2 ** 16;

export function packScans(scans: RawScan[], key: Uint8Array): ScanJob {
  const sealedAddresses = sealAddresses(
    scans.map(({ address }) => address),
    key,
  );
  const traced = tracesOf(scans);
  const codes = createIndex();
  const userAgents = createIndex();
  const bytes = Buffer.allocUnsafe(scans.length * bytesPerScan);
  let isPacked = scans.length <= maxIndexes;
  for (const [index, { id, codeId, userAgent }] of scans.entries()) {
    if (!isPacked) break;
    const at = index * bytesPerScan;
    isPacked = id.length === 36 && bytes.write(id.replaceAll('-', ''), at, 'hex') === idBytes;
    bytes.writeUInt16BE(codes.indexOf(codeId), at + idBytes);
    bytes.writeUInt16BE(userAgents.indexOf(userAgent), at + idBytes + 2);
  }
  if (!isPacked) {
    return {
      scans: scans.map(({ id, codeId, userAgent }) => [id, codeId, userAgent]),
      sealedAddresses,
      ...traced,
    };
  }
  return {
    codes: codes.values,
    userAgents: userAgents.values,
    packedScans: bytes.toString('base64'),
    sealedAddresses,
    ...traced,
  };
}

function tracesOf(scans: RawScan[]): Pick<ScanJob, 'traces'> {
  const found: [number, string][] = [];
  for (const [index, { trace }] of scans.entries()) if (trace !== undefined) found.push([index, trace]);
  return found.length > 0 ? { traces: found } : {};
}

/** Throws UnknownKeyError if none of the keys opens the addresses. */
export function unpackScans(job: ScanJob, ...keys: Uint8Array[]): RawScan[] {
  const addresses = openAddresses(job.sealedAddresses, keys);
  const scans = listScans(job).map(
    ([id, codeId, userAgent], index): RawScan => ({
      id,
      codeId,
      userAgent,
      address: addresses[index] ?? '',
    }),
  );
  for (const [index, trace] of job.traces ?? []) {
    const scan = scans[index];
    if (scan) scan.trace = trace;
  }
  return scans;
}

/** Id, code id and user agent of each scan. */
export function listScans(job: ScanJob): [id: string, codeId: string, userAgent: string][] {
  if ('scans' in job) return job.scans;
  const bytes = Buffer.from(job.packedScans, 'base64');
  return Array.from({ length: countScans(job) }, (_, index) => {
    const at = index * bytesPerScan;
    return [
      uuidFrom(bytes.toString('hex', at, at + idBytes)),
      job.codes[bytes.readUInt16BE(at + idBytes)] ?? '',
      job.userAgents[bytes.readUInt16BE(at + idBytes + 2)] ?? '',
    ];
  });
}

/** The same for the same batch, so that the queue has it once however often it is added: the id of its first scan. */
export function jobIdOf(job: ScanJob): string {
  const id =
    'scans' in job
      ? (job.scans[0]?.[0] ?? '')
      : Buffer.from(job.packedScans.slice(0, 24), 'base64').toString('hex', 0, idBytes);
  // BullMQ rejects integers and colons.
  return `b${id.replaceAll(/[^\w]/g, '')}`;
}

export function countScans(job: ScanJob): number {
  return 'scans' in job
    ? job.scans.length
    : Math.floor(Buffer.byteLength(job.packedScans, 'base64') / bytesPerScan);
}

function uuidFrom(hex: string): string {
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

/** Numbers distinct strings in the order of their first use. */
function createIndex() {
  const indexes = new Map<string, number>();
  const values: string[] = [];
  return {
    values,
    indexOf(value: string): number {
      const known = indexes.get(value);
      if (known !== undefined) return known;
      indexes.set(value, values.length);
      return values.push(value) - 1;
    },
  };
}

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
