import type { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import { dayMs } from '../runtime/units.ts';
import { type Database, openDatabase } from '../store/database.ts';
import { type Finding, findingsFor, type Subject } from './finding.ts';
import { pluralize } from './format.ts';
import { isLoopback, isPrivate } from '../net/address-policy.ts';

/** Opens one connection for the duration of `work`. */
export async function withConnection<Value>(
  databaseUrl: string,
  work: (db: Database) => Promise<Value>,
): Promise<Value> {
  const db = openDatabase(databaseUrl, {
    poolMax: 1,
    applicationName: 'qrelay doctor',
    queryTimeoutMs: 5_000,
    serverTimeouts: false,
  });
  try {
    return await work(db);
  } finally {
    await db.destroy();
  }
}

/** The only row of a statement. */
export async function readRow<Row>(db: Database, statement: string): Promise<Row> {
  const { rows } = (await db.raw(statement)) as { rows: [Row] };
  return rows[0];
}

/** Before the first migration there is none; that finding is another check's. */
export async function hasTable(db: Database, name: string): Promise<boolean> {
  const { rows } = (await db.raw('SELECT to_regclass(?) IS NOT NULL AS present', [name])) as {
    rows: [{ present: boolean }];
  };
  return rows[0].present;
}

/** Before this many days, an authority that renews automatically has done it. */
const daysToRenew = 14;

/** What an open connection says about itself. */
export interface Encryption {
  /** Undefined for a Unix socket. */
  address: string | undefined;
  /** Undefined without TLS. */
  tls: { version: string; isVerified: boolean; validUntil: Date } | undefined;
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
  remedies: { encrypt: string; verify: string },
  nowMs: number,
): Finding | undefined {
  const { ok, warning } = findingsFor(subject);
  if (!tls) {
    if (address === undefined || isLoopback(address)) return undefined;
    const message = `The connection to ${server} (${address}) is not encrypted`;
    if (isPrivate(address)) return ok(`${message}: it must stay in a network that you trust.`);
    return warning(
      `${message}, and leaves the private network: others can read and change what is sent, and see the password.`,
      remedies.encrypt,
    );
  }
  if (!tls.isVerified)
    return warning(
      `The connection to ${server} is encrypted, but its certificate is not checked: another server could take its place.`,
      remedies.verify,
    );
  const days = Math.floor((tls.validUntil.getTime() - nowMs) / dayMs);
  const message = `The connection to ${server} is encrypted (${tls.version}), with a certificate that is valid until ${tls.validUntil.toISOString().slice(0, 10)}`;
  if (days >= daysToRenew) return ok(`${message}.`);
  return warning(
    `${message}, ${pluralize(Math.max(0, days), 'day')} from now: after that, nothing connects any more.`,
    'Renew it on the server, and find out why it was not renewed automatically.',
  );
}
