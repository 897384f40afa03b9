import { createHash } from 'node:crypto';
import type { Database } from '../store/database.ts';
import { hostsOf } from './content/hosts.ts';
import type { QrCode } from './qr-code.ts';

/** To be raised whenever `hostsOf` finds other hosts in the same content: what is stored is then read anew. */
const rulesVersion = 1;

type Content = Pick<QrCode, 'type' | 'content'>;
type StoredHosts = Pick<QrCode, 'hosts' | 'hostsKey'>;

/** The columns that go with a content. */
export function hostColumns({ type, content }: Content): StoredHosts {
  return { hosts: hostsOf(type, content), hostsKey: keyOf({ type, content }) };
}

/**
 * The hosts of each code by its id, from what is stored with it. A content that was stored by an older release is parsed,
 * once: what is found is stored then.
 */
export async function readHosts(
  db: Database,
  codes: (Content & StoredHosts & Pick<QrCode, 'id'>)[],
): Promise<{ id: string; hosts: string[] }[]> {
  const unread: (StoredHosts & { id: string })[] = [];
  const read = codes.map((code) => {
    if (code.hosts && code.hostsKey === keyOf(code)) return { id: code.id, hosts: code.hosts };
    const columns = hostColumns(code);
    unread.push({ id: code.id, ...columns });
    return { id: code.id, hosts: columns.hosts ?? [] };
  });
  // Where they cannot be stored now, they are at the next reading.
  if (unread.length > 0) await storeHosts(db, unread).catch(() => undefined);
  return read;
}

/** Waits for no lock: whoever holds one of the rows may be changing its content. */
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

function keyOf({ type, content }: Content): string {
  const digest = createHash('sha256').update(`${type} ${content}`).digest('base64url');
  return `${rulesVersion}.${digest}`;
}
