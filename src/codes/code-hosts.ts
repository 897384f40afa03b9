import { createHash } from 'node:crypto';
import type { Database } from '../store/database.ts';
import { hostsOf } from './content/hosts.ts';
import type { QrCode } from './qr-code.ts';

/** Raise it when `hostsOf` finds other hosts in the same content: stored hosts are then computed again. */
const rulesVersion = 1;

type Content = Pick<QrCode, 'type' | 'content'> & Partial<Pick<QrCode, 'afterExpiryUrl'>>;
type StoredHosts = Pick<QrCode, 'hosts' | 'hostsKey'>;

/** The columns to store with a content. */
export function hostColumns(code: Content): StoredHosts {
  return { hosts: hostsOfCode(code), hostsKey: keyOf(code) };
}

/** Every host that the share link may lead to, before and after the end. */
export function hostsOfCode({ type, content, afterExpiryUrl }: Content): string[] {
  const later = afterExpiryUrl ? hostsOf('url', afterExpiryUrl) : [];
  return [...new Set([...hostsOf(type, content), ...later])];
}

/**
 * The stored hosts of each code. Content that was stored by an older release is parsed once, and its hosts are stored.
 */
export async function readHosts(
  db: Database,
  codes: (Content & StoredHosts & Pick<QrCode, 'id'>)[],
): Promise<{ id: string; hosts: string[] }[]> {
  const missing: (StoredHosts & { id: string })[] = [];
  const hosts = codes.map((code) => {
    if (code.hosts && code.hostsKey === keyOf(code)) return { id: code.id, hosts: code.hosts };
    const columns = hostColumns(code);
    missing.push({ id: code.id, ...columns });
    return { id: code.id, hosts: columns.hosts ?? [] };
  });
  // A failure does not matter: the next call tries again.
  if (missing.length > 0) await storeHosts(db, missing).catch(() => undefined);
  return hosts;
}

/** Skips locked rows: their content may be about to change. */
async function storeHosts(db: Database, codes: (StoredHosts & { id: string })[]): Promise<void> {
  await db.raw(
    `WITH found AS (
       SELECT id, "hostsKey", ARRAY(SELECT jsonb_array_elements_text(hosts)) AS hosts
       FROM jsonb_to_recordset(?::jsonb) AS row(id uuid, "hostsKey" text, hosts jsonb)
     ), free AS (
       SELECT id FROM qr_codes WHERE id IN (SELECT id FROM found) ORDER BY id FOR NO KEY UPDATE SKIP LOCKED
     )
     UPDATE qr_codes SET hosts = found.hosts, hosts_key = found."hostsKey"
     FROM found JOIN free USING (id) WHERE qr_codes.id = found.id`,
    [JSON.stringify(codes)],
  );
}

function keyOf({ type, content, afterExpiryUrl }: Content): string {
  // The previous release knows the content only: after it has changed that, the key does not match.
  const links = afterExpiryUrl ? `${content}\0${afterExpiryUrl}` : content;
  const digest = createHash('sha256').update(`${type} ${links}`).digest('base64url');
  return `${rulesVersion}.${digest}`;
}
