import type { Database } from '../store/database.ts';
import { hostsOfCode } from './code-hosts.ts';
import { hostAndParents } from './content/hosts.ts';
import { QrCode } from './qr-code.ts';

const codesPerPage = 1_000;

/** Accounts are blocked by src/accounts/account-blocks.ts. */
type BlockKind = 'code' | 'host';

interface Block {
  kind: BlockKind;
  value: string;
  reason: string | null;
  createdAt: Date;
}

/** False where it is already blocked; the existing block is not changed. */
export async function addBlock(db: Database, { kind, value, reason, createdAt }: Block): Promise<boolean> {
  const added = await db('blocks')
    .insert({ kind, value, reason, created_at: createdAt })
    .onConflict()
    .ignore()
    .returning('value');
  return added.length > 0;
}

/** False where the block did not exist. */
export async function removeBlock(db: Database, kind: BlockKind, value: string): Promise<boolean> {
  return (await db('blocks').where({ kind, value }).delete()) > 0;
}

export interface ListedBlock extends Omit<Block, 'kind'> {
  kind: BlockKind | 'account';
  /** Of a blocked account, unless it was deleted. */
  email: string | null;
}

interface BlockSearch {
  /** Part of a host, an id, an email or a reason. */
  text?: string;
  limit?: number;
  offset?: number;
  order?: 'asc' | 'desc';
}

/** All blocks, oldest first, unless told otherwise. */
export async function listBlocks(
  db: Database,
  { text = '', limit, offset, order = 'asc' }: BlockSearch = {},
): Promise<ListedBlock[]> {
  const query = db('blocks as b')
    .joinRaw("LEFT JOIN users AS u ON u.id = CASE WHEN b.kind = 'account' THEN b.value::uuid END")
    .orderBy([{ column: 'b.created_at', order }, 'b.kind', 'b.value'])
    .select('b.kind', 'b.value', 'b.reason', 'b.created_at as createdAt', 'u.email');
  if (text !== '')
    query.whereRaw("strpos(lower(concat_ws(' ', b.value, u.email, b.reason)), lower(?)) > 0", [text]);
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

/** The ids of codes that are blocked themselves, link to a blocked host or belong to a blocked account. One query. */
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
          join.on(db.raw("b.kind = 'account'")).andOn(db.raw('b.value = c.user_id::text'));
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
