import { createHash } from 'node:crypto';
import type { Database } from '../store/database.ts';
import { hostAndParents, hostsOf } from './content/hosts.ts';
import { QrCode } from './qr-code.ts';

const codesPerPage = 1_000;

/** Accounts and workspaces are blocked by src/accounts/account-blocks.ts. */
type BlockKind = 'code' | 'host';

interface Block {
  kind: BlockKind;
  value: string;
  reason: string | null;
  createdAt: Date;
}

/** False if it is already blocked; the existing block stays as it is. */
export async function addBlock(db: Database, { kind, value, reason, createdAt }: Block): Promise<boolean> {
  const added = await db('blocks')
    .insert({ kind, value, reason, created_at: createdAt })
    .onConflict()
    .ignore()
    .returning('value');
  return added.length > 0;
}

/** False if there was no such block. */
export async function removeBlock(db: Database, kind: BlockKind, value: string): Promise<boolean> {
  return (await db('blocks').where({ kind, value }).delete()) > 0;
}

export interface ListedBlock extends Omit<Block, 'kind'> {
  kind: BlockKind | 'account' | 'workspace';
  /** Email of a blocked account, unless the account was deleted. */
  email: string | null;
  /** Of a blocked workspace, unless it was deleted. */
  slug: string | null;
}

interface BlockSearch {
  /** Part of a host, an id, an email or a reason. */
  text?: string;
  limit?: number;
  offset?: number;
  order?: 'asc' | 'desc';
}

export async function listBlocks(
  db: Database,
  { text = '', limit, offset, order = 'asc' }: BlockSearch = {},
): Promise<ListedBlock[]> {
  const query = db('blocks as b')
    .joinRaw("LEFT JOIN users AS u ON u.id = CASE WHEN b.kind = 'account' THEN b.value::uuid END")
    .joinRaw("LEFT JOIN workspaces AS w ON w.id = CASE WHEN b.kind = 'workspace' THEN b.value::uuid END")
    // The others come and go with the block of their owner.
    .whereNull('b.account_id')
    .orderBy([{ column: 'b.created_at', order }, 'b.kind', 'b.value'])
    .select('b.kind', 'b.value', 'b.reason', 'b.created_at as createdAt', 'u.email', 'w.slug');
  if (text !== '')
    query.whereRaw("strpos(lower(concat_ws(' ', b.value, u.email, w.slug, b.reason)), lower(?)) > 0", [text]);
  if (limit !== undefined) query.limit(limit);
  if (offset !== undefined) query.offset(offset);
  return query as Promise<ListedBlock[]>;
}

/** The blocks that apply to any of these hosts. */
export async function findHostBlocks(db: Database, hosts: string[]): Promise<string[]> {
  if (hosts.length === 0) return [];
  const rows = (await db('blocks')
    .where({ kind: 'host' })
    .whereRaw('value = ANY(?::text[])', [hosts.flatMap(hostAndParents)])
    .orderBy('value')
    .select('value')) as { value: string }[];
  return rows.map(({ value }) => value);
}

interface CodeAndHosts {
  id: string;
  hosts: string[];
}

/** The ids of codes that are blocked themselves, link to a blocked host or belong to a blocked workspace. One query. */
export async function findBlockedCodes(db: Database, codes: CodeAndHosts[]): Promise<Set<string>> {
  if (codes.length === 0) return new Set();
  const names = new Map(codes.map(({ id, hosts }) => [id, hosts.flatMap(hostAndParents)]));
  const rows = (await db('blocks')
    .whereRaw("kind = 'code' AND value = ANY(?::text[])", [[...names.keys()]])
    .orWhereRaw("kind = 'host' AND value = ANY(?::text[])", [[...new Set([...names.values()].flat())]])
    .select('kind', 'value')
    .unionAll((query) => {
      query
        .select(db.raw("'code'"), db.raw('c.id::text'))
        .from('qr_codes as c')
        .join('blocks as b', (join) => {
          join.on(db.raw("b.kind = 'workspace'")).andOn(db.raw('b.value = c.user_id::text'));
        })
        .whereRaw('c.id = ANY(?::uuid[])', [[...names.keys()]]);
    })) as Pick<Block, 'kind' | 'value'>[];
  const blocked = (kind: BlockKind) =>
    new Set(rows.filter((row) => row.kind === kind).map(({ value }) => value));
  const [ids, hosts] = [blocked('code'), blocked('host')];
  return new Set(
    [...names].flatMap(([id, hostNames]) =>
      ids.has(id) || hostNames.some((name) => hosts.has(name)) ? id : [],
    ),
  );
}

export async function isCodeBlocked(
  db: Database,
  code: Pick<QrCode, 'id' | 'type' | 'content' | 'afterExpiryUrl'>,
): Promise<boolean> {
  return (await findBlockedCodes(db, [{ id: code.id, hosts: hostsOfCode(code) }])).has(code.id);
}

/** Reads every code: hosts are found by parsing the content, not by comparing text. */
export async function countCodesLeadingTo(db: Database, host: string): Promise<number> {
  const linksToHost = (code: QrCode) => hostsOfCode(code).some((one) => hostAndParents(one).includes(host));
  let count = 0;
  let page = await codesAfter(db, undefined);
  while (page.length > 0) {
    count += page.filter(linksToHost).length;
    page = await codesAfter(db, page.at(-1)?.id);
  }
  return count;
}

async function codesAfter(db: Database, id: string | undefined): Promise<QrCode[]> {
  const query = QrCode.query(db)
    .select('id', 'type', 'content', 'after_expiry_url')
    .orderBy('id')
    .limit(codesPerPage);
  if (id !== undefined) query.where('id', '>', id);
  return query;
}

/** Raise it when `hostsOf` finds other hosts in the same content: stored hosts are then computed again. */
const rulesVersion = 2;

type Content = Pick<QrCode, 'type' | 'content'> & Partial<Pick<QrCode, 'afterExpiryUrl'>>;
type StoredHosts = Pick<QrCode, 'hosts' | 'hostsKey'>;

/** The columns to store with the content. */
export function hostColumns(code: Content): StoredHosts {
  return { hosts: hostsOfCode(code), hostsKey: keyOf(code) };
}

/** Every host that the share link may redirect to, before and after the code expires. */
function hostsOfCode({ type, content, afterExpiryUrl }: Content): string[] {
  const later = afterExpiryUrl ? hostsOf('url', afterExpiryUrl) : [];
  return [...new Set([...hostsOf(type, content), ...later])];
}

/** The stored hosts of each code. Content from an older release is parsed once, and its hosts are stored. */
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
