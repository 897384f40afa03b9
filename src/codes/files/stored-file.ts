import { Model, snakeCaseMappers } from 'objection';
import { v4 as uuidv4 } from 'uuid';
import { AppError, invalid } from '../../errors.ts';
import type { Database } from '../../store/database.ts';
import { updateCode } from '../codes.ts';
import { QrCode } from '../qr-code.ts';
import { requireRoom } from './file-quota.ts';
import { chunkBytes } from './file-limits.ts';
import type { MediaType } from './media-types.ts';

export type FileKind = 'file' | 'photo';

/** The file that a scan of a code opens, or the photo of a contact. Its bytes are in chunks. */
export class CodeFile extends Model {
  static override tableName = 'code_files';
  static override idColumn = 'code_id';
  static override columnNameMappers = snakeCaseMappers();

  declare codeId: string;
  /** Of the bytes: a replacement has another one. */
  declare id: string;
  declare userId: string;
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
  /** Of a file: what the code leads to from now on. */
  content?: string;
  check?: (current: CodeFile | undefined) => void;
  now: Date;
}

type Owned = Pick<QrCode, 'id' | 'userId'>;

/** Stores a file in place of the one that the code has, whose bytes a job purges. All or nothing. */
export async function saveFile(
  db: Database,
  code: Owned,
  { data, ...file }: NewFile,
  options: SaveOptions,
): Promise<CodeFile> {
  const described = { ...file, bytes: data.length };
  return store(db, code, described, options, (transaction, id) => addChunks(transaction, id, data));
}

/** The same bytes for another code of the account. */
export async function copyFile(
  db: Database,
  code: Owned,
  { id: from, kind, name, mediaType, bytes }: CodeFile,
  options: SaveOptions,
): Promise<CodeFile> {
  return store(db, code, { kind, name, mediaType, bytes }, options, async (transaction, id) => {
    await transaction.raw(
      `INSERT INTO code_file_chunks (file_id, position, data)
       SELECT :id, position, data FROM code_file_chunks WHERE file_id = :from`,
      { id, from },
    );
  });
}

export const noContact = () =>
  invalid([{ field: 'photo', message: 'can only be set for a code of type vcard' }]);

async function store(
  db: Database,
  { id: codeId, userId }: Owned,
  file: Pick<CodeFile, 'kind' | 'name' | 'mediaType' | 'bytes'>,
  { quotaBytes, content, check, now }: SaveOptions,
  writeChunks: (transaction: Database, id: string) => Promise<void>,
): Promise<CodeFile> {
  const id = uuidv4();
  return db.transaction(async (transaction) => {
    await writeChunks(transaction, id);
    // Locked, so that the quota holds for parallel uploads; before the code, as when an account is deleted.
    await transaction('users').where({ id: userId }).forNoKeyUpdate().select('id');
    const code = await QrCode.query(transaction).findOne({ id: codeId, user_id: userId }).forNoKeyUpdate();
    if (!code) throw new AppError('not_found', 'There is no such QR code.');
    // Its type may have changed while the photo was uploaded.
    if (file.kind === 'photo' && code.type !== 'vcard') throw noContact();
    check?.(await findFile(transaction, codeId, file.kind));
    await requireRoom(transaction, { userId, codeId }, file, quotaBytes);
    if (content !== undefined && (code.content !== content || code.type !== 'url'))
      await updateCode(transaction, code, { type: 'url', content }, now);
    return CodeFile.query(transaction)
      .insert({ ...file, codeId, id, userId, updatedAt: now })
      .onConflict('code_id')
      .merge()
      .returning('*')
      .first()
      .throwIfNotFound();
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
  codeId: string,
  kind: FileKind,
  check?: (current: CodeFile | undefined) => void,
): Promise<boolean> {
  return db.transaction(async (transaction) => {
    const current = await CodeFile.query(transaction).findOne({ code_id: codeId, kind }).forUpdate();
    check?.(current);
    return current !== undefined && (await CodeFile.query(transaction).deleteById(codeId)) > 0;
  });
}

const filesPerRead = 200;

/** All files of an account, oldest codes first. */
export async function* ownedFiles(db: Database, userId: string): AsyncGenerator<CodeFile> {
  for (let after: string | undefined; ; ) {
    const query = CodeFile.query(db).where({ user_id: userId }).orderBy('code_id').limit(filesPerRead);
    if (after !== undefined) query.where('code_id', '>', after);
    const files = await query;
    yield* files;
    if (files.length < filesPerRead) return;
    after = files.at(-1)?.codeId;
  }
}
