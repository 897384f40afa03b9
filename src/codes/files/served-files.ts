import { LRUCache } from 'lru-cache';
import { type Database, queryPrepared } from '../../store/database.ts';
import type { MediaType } from './upload.ts';
import { readChunks, readPart } from './stored-file.ts';

/** What a response says of a file, without its bytes. */
export interface ServedFile {
  id: string;
  name: string;
  mediaType: MediaType;
  bytes: number;
}

/** Files as they are served, to anybody who may open the code. */
export interface ServedFiles {
  find(codeId: string): Promise<ServedFile | undefined>;
  readPart(fileId: string, part: Parameters<typeof readPart>[2]): Promise<Buffer | undefined>;
  /** The photo of a contact. Undefined where it was deleted meanwhile. */
  photo(codeId: string, fileId: string): Promise<Buffer | undefined>;
}

const findStatement = {
  name: 'file of a code',
  text: 'SELECT id, name, media_type AS "mediaType", bytes FROM code_files WHERE code_id = $1',
};
const photoCacheBytes = 4 * 1024 * 1024;
/** PostgreSQL sends bytes as hexadecimal text, and parsing a part takes longer than sending it. */
const partCacheBytes = 16 * 1024 * 1024;
/** Clients choose ranges. Entries of a byte would take far more memory than the cache counts. */
const minCachedBytes = 64 * 1024;

export function createServedFiles(db: Database): ServedFiles {
  // The bytes of an id never change.
  const sizeCalculation = ({ length }: Buffer) => length;
  const photos = new LRUCache<string, Buffer>({ maxSize: photoCacheBytes, sizeCalculation });
  const parts = new LRUCache<string, Buffer>({ maxSize: partCacheBytes, sizeCalculation });

  async function find(codeId: string): Promise<ServedFile | undefined> {
    const [file] = await queryPrepared<ServedFile>(db, findStatement, [codeId]);
    return file;
  }

  return {
    find,
    async readPart(fileId, part) {
      const key = `${fileId} ${part.position} ${part.from} ${part.length}`;
      const known = parts.get(key);
      if (known) return known;
      const data = await readPart(db, fileId, part);
      if (data && data.length >= minCachedBytes) parts.set(key, data);
      return data;
    },
    async photo(codeId, fileId) {
      const known = photos.get(fileId);
      if (known) return known;
      const file = await find(codeId);
      if (file?.id !== fileId) return undefined;
      const chunks: Buffer[] = [];
      for await (const chunk of readChunks(db, file)) chunks.push(chunk);
      const jpeg = Buffer.concat(chunks);
      if (jpeg.length !== file.bytes) return undefined;
      photos.set(fileId, jpeg);
      return jpeg;
    },
  };
}
