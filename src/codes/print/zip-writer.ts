import { promisify } from 'node:util';
import { crc32, deflateRaw } from 'node:zlib';

export interface ZipFile {
  /** With slashes, and no longer than 65,535 bytes. */
  name: string;
  data: Uint8Array;
  /** False for formats that are compressed themselves. */
  isCompressible: boolean;
}

const compress = promisify(deflateRaw);
/** Compression methods. */
const stored = 0;
const deflated = 8;
/** Names are UTF-8. */
const utf8Flag = 0x0800;
const version = 20;
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
    const nameBytes = Buffer.from(name);
    const fields = Buffer.alloc(26);
    fields.writeUInt16LE(version, 0);
    fields.writeUInt16LE(utf8Flag, 2);
    fields.writeUInt16LE(isCompressible ? deflated : stored, 4);
    fields.writeUInt32LE(dosTime(now), 6);
    fields.writeUInt32LE(crc32(data), 10);
    fields.writeUInt32LE(body.length, 14);
    fields.writeUInt32LE(data.length, 18);
    fields.writeUInt16LE(nameBytes.length, 22);
    const entry = Buffer.concat([Buffer.from('PK\x03\x04', 'latin1'), fields, nameBytes, body]);
    directory.push(directoryEntry(fields, nameBytes, offset));
    offset += entry.length;
    yield entry;
  }
  const entries = Buffer.concat(directory);
  const end = Buffer.alloc(22);
  end.write('PK\x05\x06', 'latin1');
  end.writeUInt16LE(directory.length, 8);
  end.writeUInt16LE(directory.length, 10);
  end.writeUInt32LE(entries.length, 12);
  end.writeUInt32LE(offset, 16);
  yield Buffer.concat([entries, end]);
}

function directoryEntry(fields: Buffer, name: Buffer, offset: number): Buffer {
  const head = Buffer.alloc(6);
  head.write('PK\x01\x02', 'latin1');
  // The upper byte says that the mode is of Unix.
  head.writeUInt16LE((3 << 8) | version, 4);
  const rest = Buffer.alloc(14);
  rest.writeUInt32LE(unixMode * 0x10000, 6);
  rest.writeUInt32LE(offset, 10);
  return Buffer.concat([head, fields, rest, name]);
}

/** In UTC, with the date in the upper half. */
function dosTime(at: Date): number {
  const time = (at.getUTCHours() << 11) | (at.getUTCMinutes() << 5) | (at.getUTCSeconds() >> 1);
  const date = ((at.getUTCFullYear() - 1980) << 9) | ((at.getUTCMonth() + 1) << 5) | at.getUTCDate();
  return date * 0x10000 + time;
}
