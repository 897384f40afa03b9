import { Model } from 'objection';
import { v4 as uuidv4 } from 'uuid';
import { AppError, invalid } from '../../errors.ts';
import { type Database, queryPrepared } from '../../store/database.ts';
import { updateCode } from '../codes.ts';
import { QrCode } from '../qr-code.ts';
import { chunkBytes, type MediaType } from './upload.ts';
import { bytesPerMb } from '../../runtime/units.ts';
import { lockWorkspace, ownedColumns, type WorkspaceId } from '../../workspaces/workspace.ts';

export type FileKind = 'file' | 'photo';

/** The file that a scan opens, or the photo of a contact. The bytes are stored in chunks. */
export class CodeFile extends Model {
  static override tableName = 'code_files';
  static override idColumn = 'code_id';
  static override columnNameMappers = ownedColumns();

  declare codeId: string;
  /** A replacement gets a new id. */
  declare id: string;
  declare workspaceId: WorkspaceId;
  declare kind: FileKind;
  declare name: string;
  declare mediaType: MediaType;
  declare bytes: number;
  declare updatedAt: Date;
}

export interface NewFile {
  kind: FileKind;
  name: string;
  mediaType: MediaType;
  data: Uint8Array;
}

export async function findFile(db: Database, codeId: string, kind: FileKind): Promise<CodeFile | undefined> {
  return CodeFile.query(db).findOne({ code_id: codeId, kind });
}

interface SaveOptions {
  quotaBytes: number;
  /** New content of a code that opens the file. */
  content?: string;
  check?: (current: CodeFile | undefined) => void;
  now: Date;
}

type Owned = Pick<QrCode, 'id' | 'workspaceId'>;
type Described = Pick<CodeFile, 'kind' | 'name' | 'mediaType' | 'bytes'>;

/** Replaces the code's file in one transaction. The old one is kept for its versions: see removed-file.ts. */
export async function saveFile(
  db: Database,
  code: Owned,
  { data, ...file }: NewFile,
  options: SaveOptions,
): Promise<CodeFile> {
  return store(db, code, options, async (transaction, id) => {
    await addChunks(transaction, id, data);
    return { ...file, bytes: data.length };
  });
}

interface CopyOptions {
  quotaBytes: number;
  /** Content of the code that opens the copy. */
  contentOf: ((name: string) => string) | undefined;
  now: Date;
}

/** Copies the file of another code of the account. Throws a 409 if it was deleted. */
export async function copyFile(
  db: Database,
  code: Owned,
  from: Pick<CodeFile, 'codeId' | 'kind'>,
  { contentOf, ...options }: CopyOptions,
): Promise<CodeFile> {
  return store(db, code, options, async (transaction, id) => {
    const copied = await copyChunks(transaction, from, id);
    if (!copied) throw new AppError('validation_error', deletedMeanwhile, { status: 409 });
    return { ...copied, ...(contentOf && { content: contentOf(copied.name) }) };
  });
}

const deletedMeanwhile = 'Its file was deleted meanwhile. Duplicate the code again.';

/** One statement, which sees a consistent file: the bytes of a replaced file may be purged at any time. */
async function copyChunks(
  transaction: Database,
  { codeId, kind }: Pick<CodeFile, 'codeId' | 'kind'>,
  id: string,
): Promise<Described | undefined> {
  const { rows } = (await transaction.raw(
    `WITH source AS (SELECT * FROM code_files WHERE code_id = :codeId AND kind = :kind),
       copied AS (INSERT INTO code_file_chunks (file_id, position, data)
         SELECT :id, position, data FROM code_file_chunks WHERE file_id = (SELECT id FROM source))
     SELECT kind, name, media_type AS "mediaType", bytes FROM source`,
    { codeId, kind, id },
  )) as { rows: Described[] };
  return rows[0];
}

export const noContact = () =>
  invalid([{ field: 'photo', message: 'can only be set for a code of type vcard' }]);

async function store(
  db: Database,
  { id: codeId, workspaceId }: Owned,
  { quotaBytes, content: given, check, now }: SaveOptions,
  writeChunks: (transaction: Database, id: string) => Promise<Described & { content?: string }>,
): Promise<CodeFile> {
  const id = uuidv4();
  return db.transaction(async (transaction) => {
    const { content = given, ...file } = await writeChunks(transaction, id);
    // Enforces the quota for parallel uploads. Locked before the code, as in the deletion of an account.
    await lockWorkspace(transaction, workspaceId);
    const code = await QrCode.query(transaction)
      .findOne({ id: codeId, user_id: workspaceId })
      .forNoKeyUpdate();
    if (!code) throw new AppError('not_found', 'There is no such QR code.');
    // The type may have changed during the upload.
    if (file.kind === 'photo' && code.type !== 'vcard') throw noContact();
    check?.(await findFile(transaction, codeId, file.kind));
    await requireRoom(transaction, { workspaceId, codeId }, file, quotaBytes);
    if (content !== undefined && (code.content !== content || code.type !== 'url'))
      await updateCode(transaction, code, { type: 'url', content }, now);
    const stored = await CodeFile.query(transaction)
      .insert({ ...file, codeId, id, workspaceId, updatedAt: now })
      .onConflict('code_id')
      .merge()
      .returning('*')
      .first()
      .throwIfNotFound();
    // Runs after the replaced file has become a removed file.
    await purgeRemovedFor(transaction, workspaceId, quotaBytes);
    return stored;
  });
}

async function addChunks(transaction: Database, fileId: string, data: Uint8Array): Promise<void> {
  for (let position = 0; position * chunkBytes < data.length; position += 1) {
    const part = data.subarray(position * chunkBytes, (position + 1) * chunkBytes);
    await transaction('code_file_chunks').insert({ file_id: fileId, position, data: Buffer.from(part) });
  }
}

/** Nothing is deleted if `check` throws. */
export async function deleteFile(
  db: Database,
  { id, workspaceId }: Owned,
  kind: FileKind,
  check?: (current: CodeFile | undefined) => void,
): Promise<boolean> {
  return db.transaction(async (transaction) => {
    // Before the file, as in every other change of a code.
    const code = await QrCode.query(transaction)
      .findOne({ id, user_id: workspaceId })
      .select('id')
      .forNoKeyUpdate();
    // It was moved to the trash meanwhile.
    if (!code) throw new AppError('not_found', 'There is no such QR code.');
    const current = await CodeFile.query(transaction).findOne({ code_id: id, kind }).forUpdate();
    check?.(current);
    return current !== undefined && (await CodeFile.query(transaction).deleteById(id)) > 0;
  });
}

const filesPerRead = 200;

export async function* ownedFiles(db: Database, workspaceId: WorkspaceId): AsyncGenerator<CodeFile> {
  for (let after: string | undefined; ; ) {
    const query = CodeFile.query(db)
      .where({ user_id: workspaceId })
      .whereRaw(`NOT (${isTrashedSql})`)
      .orderBy('code_id')
      .limit(filesPerRead);
    if (after !== undefined) query.where('code_id', '>', after);
    const files = await query;
    yield* files;
    if (files.length < filesPerRead) return;
    after = files.at(-1)?.codeId;
  }
}

/** Whether the code of a file is in the trash. */
const isTrashedSql = 'EXISTS (SELECT FROM trashed_codes WHERE trashed_codes.code_id = code_files.code_id)';

/** Bytes of all files of an account, except those in the trash and the one about to be replaced. */
export async function usedBytes(
  db: Database,
  workspaceId: WorkspaceId,
  exceptCodeId?: string,
): Promise<number> {
  const query = db('code_files')
    .where({ user_id: workspaceId })
    .whereRaw(`NOT (${isTrashedSql})`)
    .sum('bytes as bytes')
    .first();
  if (exceptCodeId !== undefined) query.whereNot({ code_id: exceptCodeId });
  const row = (await query) as { bytes: number | null } | undefined;
  return row?.bytes ?? 0;
}

/**
 * Removed files, and those of codes in the trash, use what the others leave of the quota: the oldest of them make room for a
 * new file. A code in the trash then stays there without its file. One that is being deleted is skipped: its deletion waits for
 * the file that this would delete, which waits for the code.
 */
async function purgeRemovedFor(
  transaction: Database,
  workspaceId: WorkspaceId,
  quotaBytes: number,
): Promise<void> {
  await transaction.raw(
    `WITH surplus AS MATERIALIZED (
       SELECT id FROM (
         SELECT id, sum(bytes) OVER (ORDER BY since DESC, id) AS kept
         FROM (
           SELECT id, bytes, removed_at AS since FROM removed_files WHERE user_id = :workspaceId
           UNION ALL
           SELECT id, bytes, trashed_at FROM trashed_codes JOIN code_files USING (code_id)
           WHERE trashed_codes.user_id = :workspaceId
         ) AS removed
       ) AS newest WHERE kept > :free
     ), removed AS (
       DELETE FROM removed_files WHERE id IN (SELECT id FROM surplus)
     ), codes AS MATERIALIZED (
       SELECT id FROM qr_codes WHERE id IN (
         SELECT code_id FROM code_files JOIN trashed_codes USING (code_id) WHERE code_files.id IN (SELECT id FROM surplus)
       ) ORDER BY id FOR NO KEY UPDATE SKIP LOCKED
     )
     DELETE FROM code_files WHERE id IN (SELECT id FROM surplus) AND code_id IN (SELECT id FROM codes)`,
    { workspaceId, free: quotaBytes - (await usedBytes(transaction, workspaceId)) },
  );
}

/** Throws a validation error if the file would exceed the account's quota. */
export async function requireRoom(
  db: Database,
  { workspaceId, codeId }: { workspaceId: WorkspaceId; codeId?: string | undefined },
  { kind, bytes }: { kind: 'file' | 'photo'; bytes: number },
  quotaBytes: number,
): Promise<void> {
  const used = await usedBytes(db, workspaceId, codeId);
  if (used + bytes <= quotaBytes) return;
  const [has, others, limit] = [bytes, used, quotaBytes].map(megabytes);
  const message = `has ${has} MB, and the other files of the workspace have ${others} of ${limit} MB that its limit allows: delete one, make this one smaller, or ask the operator for a higher limit`;
  throw invalid([{ field: kind, message }], { code: 'quota_exceeded' });
}

/** Rounded up to a tenth. */
export function megabytes(bytes: number): string {
  const tenths = Math.ceil((10 * bytes) / bytesPerMb);
  return tenths % 10 === 0 ? String(tenths / 10) : (tenths / 10).toFixed(1);
}

/** Deletes the bytes of deleted and replaced files until `isOver`. Safe to repeat and to interrupt. */
export async function purgeFiles(db: Database, isOver: () => boolean): Promise<number> {
  const deleted = (await db('deleted_files').orderBy('deleted_at').limit(1_000).select('id')) as {
    id: string;
  }[];
  let purged = 0;
  for (const { id } of deleted) {
    if (isOver()) break;
    await db.raw(
      `WITH chunks AS (DELETE FROM code_file_chunks WHERE file_id = :id) DELETE FROM deleted_files WHERE id = :id`,
      { id },
    );
    purged += 1;
  }
  return purged;
}

const partStatement = {
  name: 'part of a file',
  text: 'SELECT substring(data FROM $3::integer FOR $4::integer) AS data FROM code_file_chunks WHERE file_id = $1 AND position = $2',
};

/** Part of a chunk. Undefined if the file was deleted or replaced meanwhile. */
export async function readPart(
  db: Database,
  fileId: string,
  { position, from, length }: { position: number; from: number; length: number },
): Promise<Buffer | undefined> {
  const values = [fileId, position, from + 1, length];
  const [row] = await queryPrepared<{ data: Buffer }>(db, partStatement, values);
  return row?.data;
}

/** The parts of chunks with the bytes from `start` to `end`, inclusive. */
export function* partsBetween(start: number, end: number) {
  for (let position = Math.floor(start / chunkBytes); position * chunkBytes <= end; position += 1) {
    const offset = position * chunkBytes;
    const from = Math.max(0, start - offset);
    yield { position, from, length: Math.min(chunkBytes, end + 1 - offset) - from };
  }
}

interface WholeFile extends Pick<CodeFile, 'kind' | 'name' | 'mediaType'> {
  /** Up to `maxFileBytes` in memory. */
  chunks: Buffer[];
}

/** Reads the file in one snapshot, so that it is complete even if it is replaced and purged meanwhile. */
export async function readWholeFile(db: Database, codeId: string): Promise<WholeFile | undefined> {
  const config = { isolationLevel: 'repeatable read', readOnly: true } as const;
  return db.transaction(async (snapshot) => {
    const file = await CodeFile.query(snapshot).findById(codeId);
    if (!file) return undefined;
    const chunks: Buffer[] = [];
    for await (const chunk of readChunks(snapshot, file)) chunks.push(chunk);
    const { kind, name, mediaType } = file;
    return { kind, name, mediaType, chunks };
  }, config);
}

/** Ends early if the file is deleted meanwhile. */
export async function* readChunks(
  db: Database,
  { id, bytes }: { id: string; bytes: number },
): AsyncGenerator<Buffer> {
  for (const part of partsBetween(0, bytes - 1)) {
    const data = await readPart(db, id, part);
    if (!data) return;
    yield data;
  }
}
