import { AppError, invalid } from '../../errors.ts';
import type { Database } from '../../store/database.ts';
import { updateCode } from '../codes.ts';
import type { CodeType } from '../content/content-types.ts';
import { QrCode } from '../qr-code.ts';
import { undoableSince } from '../undo-period.ts';
import { CodeFile, type FileKind } from './stored-file.ts';
import { opensFile } from './upload.ts';

/** A file that a code no longer has, which can be restored. */
export class RemovedFile extends CodeFile {
  static override tableName = 'removed_files';
  static override idColumn = 'id';

  /** Type and content of the code when the file was removed. */
  declare type: CodeType;
  declare content: string;
  declare removedAt: Date;
  /** Only versions of the code can restore it. */
  declare isReplaced: boolean;
}

/** The last file that the owner of a code removed. */
export function findRemovedFile(db: Database, codeId: string, kind: FileKind, now: Date) {
  return RemovedFile.query(db)
    .findOne({ code_id: codeId, kind, is_replaced: false })
    .where('removed_at', '>', undoableSince(now));
}

/** The kind of file that a scan of the code uses. */
export function fileKindOf(code: Pick<QrCode, 'type' | 'content' | 'shareToken'>): FileKind | undefined {
  if (code.type === 'vcard') return 'photo';
  return opensFile(code) ? 'file' : undefined;
}

type Holder = Pick<QrCode, 'id' | 'type' | 'content'>;

/** Takes the file from the code and keeps it for `undoDays`. False if the code has none. */
export async function removeFile(
  transaction: Database,
  { id: codeId, type, content }: Holder,
  kind: FileKind,
  now: Date,
): Promise<boolean> {
  await RemovedFile.query(transaction).where({ code_id: codeId }).patch({ isReplaced: true });
  const { rows } = (await transaction.raw(
    `WITH removed AS (DELETE FROM code_files WHERE code_id = :codeId AND kind = :kind RETURNING *)
     INSERT INTO removed_files (code_id, id, user_id, kind, name, media_type, bytes, updated_at, type, content, removed_at)
     SELECT code_id, id, user_id, kind, name, media_type, bytes, updated_at, :type, :content, :now FROM removed
     RETURNING id`,
    { codeId, kind, type, content, now },
  )) as { rows: { id: string }[] };
  const [removed] = rows;
  if (removed) await keepBytes(transaction, removed.id);
  return removed !== undefined;
}

/** A trigger has listed them, because the file was deleted from one of the two tables. */
async function keepBytes(transaction: Database, id: string): Promise<void> {
  await transaction('deleted_files').where({ id }).delete();
}

/**
 * Undoes `removeFile`. A code that leads elsewhere since gets its former content back; its present file is removed. False if
 * there is nothing to restore.
 */
export async function restoreFile(
  db: Database,
  { id: codeId, workspaceId }: Pick<QrCode, 'id' | 'workspaceId'>,
  kind: FileKind,
  now: Date,
): Promise<boolean> {
  return db.transaction(async (transaction) => {
    const code = await QrCode.query(transaction)
      .findOne({ id: codeId, user_id: workspaceId })
      .forNoKeyUpdate();
    if (!code) throw new AppError('not_found', 'There is no such QR code.');
    const removed = await findRemovedFile(transaction, codeId, kind, now).forUpdate();
    if (!removed) return false;
    await RemovedFile.query(transaction).deleteById(removed.id);
    const current = await CodeFile.query(transaction).findById(codeId);
    if (current) await removeFile(transaction, code, current.kind, now);
    const { id, name, mediaType, bytes, updatedAt, type, content } = removed;
    // Before the file is back: a code that leads elsewhere loses it.
    if (fileKindOf(code) !== kind) await updateCode(transaction, code, { type, content }, now);
    await CodeFile.query(transaction).insert({
      codeId,
      id,
      workspaceId,
      kind,
      name,
      mediaType,
      bytes,
      updatedAt,
    });
    await keepBytes(transaction, id);
    return true;
  });
}

/** Brings back the bytes `fileId`, in the transaction that has locked the code. The code must have no file. */
export async function putBackFile(
  transaction: Database,
  { id: codeId }: Pick<QrCode, 'id'>,
  fileId: string,
  now: Date,
): Promise<void> {
  const { rows } = (await transaction.raw(
    `WITH kept AS (
       DELETE FROM removed_files WHERE id = :fileId AND code_id = :codeId AND removed_at > :since RETURNING *
     )
     INSERT INTO code_files (code_id, id, user_id, kind, name, media_type, bytes, updated_at)
     SELECT code_id, id, user_id, kind, name, media_type, bytes, :now FROM kept RETURNING id`,
    { codeId, fileId, since: undoableSince(now), now },
  )) as { rows: { id: string }[] };
  if (rows.length === 0) throw invalid([{ field: 'file', message: 'is no longer stored: upload it again' }]);
  await keepBytes(transaction, fileId);
}

const filesPerRun = 1_000;

/** The files that can no longer be restored. A job then purges their bytes. */
export async function purgeRemovedFiles(db: Database, now: Date): Promise<void> {
  await db.raw(
    `DELETE FROM removed_files WHERE id IN (
       SELECT id FROM removed_files WHERE removed_at <= ? ORDER BY removed_at LIMIT ${filesPerRun}
     )`,
    [undoableSince(now)],
  );
}
