import type { Database } from '../../store/database.ts';

/** Deletes the bytes of files that were deleted or replaced, until `isOver`. Safe to repeat and to interrupt. */
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
