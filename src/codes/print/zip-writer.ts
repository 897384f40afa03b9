import { promisify } from 'node:util';
import { crc32, deflateRaw } from 'node:zlib';
import {
  deflated,
  directoryEnd,
  directoryEntry,
  fileHeader,
  stored,
  utf8Flag,
  type ZipEntry,
} from '../../http/zip-format.ts';

export interface ZipFile {
  /** With slashes, and no longer than 65,535 bytes. */
  name: string;
  data: Uint8Array;
  /** False for formats that are compressed themselves. */
  isCompressible: boolean;
}

const compress = promisify(deflateRaw);
/** Of regular files that everybody may read. */
const unixMode = 0o100644;

/**
 * A ZIP archive, file by file: whoever stops reading stops the files from being made. Sizes come before the data, so that
 * a reader can tell how many files have arrived. Archives are below 4 GiB and 65,535 files, without the extension for more.
 */
export async function* writeZip(files: AsyncIterable<ZipFile>, now: Date): AsyncGenerator<Buffer> {
  const directory: Buffer[] = [];
  let offset = 0;
  for await (const { name, data, isCompressible } of files) {
    const body = isCompressible ? await compress(data) : data;
    const entry: ZipEntry = {
      name: Buffer.from(name),
      flags: utf8Flag,
      method: isCompressible ? deflated : stored,
      crc: crc32(data),
      packedSize: body.length,
      size: data.length,
    };
    const file = Buffer.concat([fileHeader(entry, now), body]);
    directory.push(directoryEntry(entry, offset, unixMode, now));
    offset += file.length;
    yield file;
  }
  yield directoryEnd(directory, offset);
}
