import { type Database, queryPrepared } from '../../store/database.ts';
import { chunkBytes } from './file-limits.ts';
import { CodeFile } from './stored-file.ts';

const partStatement = {
  name: 'part of a file',
  text: 'SELECT substring(data FROM $3::integer FOR $4::integer) AS data FROM code_file_chunks WHERE file_id = $1 AND position = $2',
};

/** A part of one chunk. Undefined where the file was deleted or replaced meanwhile. */
export async function readPart(
  db: Database,
  fileId: string,
  { position, from, length }: { position: number; from: number; length: number },
): Promise<Buffer | undefined> {
  const values = [fileId, position, from + 1, length];
  const [row] = await queryPrepared<{ data: Buffer }>(db, partStatement, values);
  return row?.data;
}

/** The parts of the chunks that hold the bytes from `start` to `end`, both included. */
export function* partsBetween(start: number, end: number) {
  for (let position = Math.floor(start / chunkBytes); position * chunkBytes <= end; position += 1) {
    const offset = position * chunkBytes;
    const from = Math.max(0, start - offset);
    yield { position, from, length: Math.min(chunkBytes, end + 1 - offset) - from };
  }
}

interface WholeFile extends Pick<CodeFile, 'kind' | 'name' | 'mediaType'> {
  /** In memory: up to `maxFileBytes`. */
  chunks: Buffer[];
}

/** The file that a code has now, from one snapshot: it is complete, even if it is replaced and purged meanwhile. */
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

/** The whole file, chunk by chunk. Ends early where it is deleted meanwhile. */
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
