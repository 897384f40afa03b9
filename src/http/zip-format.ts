/** Compression methods. */
export const stored = 0;
export const deflated = 8;
/** Names are UTF-8. */
export const utf8Flag = 0x0800;
/** Checksum and sizes follow the data. */
export const streamedFlag = 0x0008;

const version = 20;

export interface ZipEntry {
  name: Buffer;
  flags: number;
  method: number;
  crc: number;
  /** Compressed. */
  packedSize: number;
  size: number;
}

/** Before the data of a file. */
export function fileHeader(entry: ZipEntry, now: Date): Buffer {
  return Buffer.concat([Buffer.from('PK\x03\x04', 'latin1'), fieldsOf(entry, now), entry.name]);
}

/** After the data of a file with `streamedFlag`. */
export function dataDescriptor(entry: ZipEntry, now: Date): Buffer {
  return Buffer.concat([Buffer.from('PK\x07\x08', 'latin1'), fieldsOf(entry, now).subarray(10, 22)]);
}

/** `offset`: where the header of the file is. `unixMode`: of a regular file, such as 0o100644. */
export function directoryEntry(entry: ZipEntry, offset: number, unixMode: number, now: Date): Buffer {
  const head = Buffer.alloc(6);
  head.write('PK\x01\x02', 'latin1');
  // The upper byte says that the mode is of Unix.
  head.writeUInt16LE((3 << 8) | version, 4);
  const rest = Buffer.alloc(14);
  rest.writeUInt32LE(unixMode * 0x10000, 6);
  rest.writeUInt32LE(offset, 10);
  return Buffer.concat([head, fieldsOf(entry, now), rest, entry.name]);
}

/** The end of an archive: its directory, which starts at `offset`. */
export function directoryEnd(directory: Buffer[], offset: number): Buffer {
  const entries = Buffer.concat(directory);
  const end = Buffer.alloc(22);
  end.write('PK\x05\x06', 'latin1');
  end.writeUInt16LE(directory.length, 8);
  end.writeUInt16LE(directory.length, 10);
  end.writeUInt32LE(entries.length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([entries, end]);
}

/** What the header of a file and its entry in the directory have in common. */
function fieldsOf({ name, flags, method, crc, packedSize, size }: ZipEntry, now: Date): Buffer {
  const fields = Buffer.alloc(26);
  fields.writeUInt16LE(version, 0);
  fields.writeUInt16LE(flags, 2);
  fields.writeUInt16LE(method, 4);
  fields.writeUInt32LE(dosTime(now), 6);
  fields.writeUInt32LE(crc, 10);
  fields.writeUInt32LE(packedSize, 14);
  fields.writeUInt32LE(size, 18);
  fields.writeUInt16LE(name.length, 22);
  return fields;
}

/** In UTC, with the date in the upper half. */
function dosTime(at: Date): number {
  const time = (at.getUTCHours() << 11) | (at.getUTCMinutes() << 5) | (at.getUTCSeconds() >> 1);
  const date = ((at.getUTCFullYear() - 1980) << 9) | ((at.getUTCMonth() + 1) << 5) | at.getUTCDate();
  return date * 0x10000 + time;
}
