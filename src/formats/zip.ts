import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import { crc32, createDeflateRaw, deflateRaw } from 'node:zlib';

/** A file whose size precedes its data, so that a reader can tell how many files have arrived. */
export interface WholeFile {
  name: string;
  data: Uint8Array;
  /** Whether the format itself is compressed: such data is stored unchanged. */
  isCompressed: boolean;
}

/** A file of any length, produced as it is read. Its size follows the data. */
export interface StreamedFile {
  name: string;
  content: AsyncIterable<string | Buffer> | Iterable<Buffer>;
}

interface ZipOptions {
  maxBytes?: number;
  /** Permissions of the extracted files. */
  unixMode?: number;
}

/** Without ZIP64, offsets and sizes have 32 bits. */
const maxZipBytes = 0xffff_ffff;
const ownerOnly = 0o600;
const regularFile = 0o100000;
const compress = promisify(deflateRaw);

export class ZipTooLargeError extends Error {
  override name = 'ZipTooLargeError';
}

/** Streams a ZIP archive in little memory. Files are produced as they are read. */
export async function* streamZip(
  files: AsyncIterable<WholeFile | StreamedFile>,
  now: Date,
  { maxBytes = maxZipBytes, unixMode = ownerOnly }: ZipOptions = {},
): AsyncGenerator<Buffer> {
  const directory: Buffer[] = [];
  let written = 0;
  for await (const file of files) {
    const start = written;
    const entry = newEntry(file.name, now);
    for await (const part of 'data' in file ? whole(entry, file) : streamed(entry, file)) {
      written += part.length;
      if (written > maxBytes || entry.size > maxZipBytes)
        throw new ZipTooLargeError(`The archive has more than ${maxBytes} bytes`);
      yield part;
    }
    directory.push(directoryEntry(entry, start, regularFile | unixMode));
  }
  yield* directory;
  yield directoryEnd(directory, written);
}

interface ZipEntry {
  name: Buffer;
  flags: number;
  method: number;
  now: Date;
  crc: number;
  /** Compressed. */
  packedSize: number;
  size: number;
}

/** Names are UTF-8. */
const utf8Flag = 0x0800;
/** Checksum and sizes follow the data. */
const streamedFlag = 0x0008;
const methods = { stored: 0, deflated: 8 };
const version = 20;

const newEntry = (name: string, now: Date): ZipEntry => ({
  name: Buffer.from(name),
  flags: utf8Flag,
  method: methods.deflated,
  now,
  crc: 0,
  packedSize: 0,
  size: 0,
});

async function* whole(entry: ZipEntry, { data, isCompressed }: WholeFile): AsyncGenerator<Buffer> {
  const body = isCompressed ? data : await compress(data);
  if (isCompressed) entry.method = methods.stored;
  Object.assign(entry, { crc: crc32(data), packedSize: body.length, size: data.length });
  yield Buffer.concat([fileHeader(entry), body]);
}

async function* streamed(entry: ZipEntry, { content }: StreamedFile): AsyncGenerator<Buffer> {
  entry.flags |= streamedFlag;
  yield fileHeader(entry);
  const deflate = createDeflateRaw();
  const feeding = pipeline(counted(content, entry), deflate);
  // The loop below reports errors of the content.
  feeding.catch(() => undefined);
  for await (const chunk of deflate as AsyncIterable<Buffer>) {
    entry.packedSize += chunk.length;
    yield chunk;
  }
  await feeding;
  yield Buffer.concat([signature('PK\x07\x08'), commonFields(entry).subarray(10, 22)]);
}

async function* counted(content: StreamedFile['content'], entry: ZipEntry): AsyncGenerator<Buffer> {
  for await (const piece of content) {
    const bytes = typeof piece === 'string' ? Buffer.from(piece) : piece;
    entry.crc = crc32(bytes, entry.crc);
    entry.size += bytes.length;
    yield bytes;
  }
}

const signature = (text: string) => Buffer.from(text, 'latin1');

function fileHeader(entry: ZipEntry): Buffer {
  return Buffer.concat([signature('PK\x03\x04'), commonFields(entry), entry.name]);
}

function directoryEntry(entry: ZipEntry, offset: number, unixMode: number): Buffer {
  // The upper byte marks the mode as a Unix mode.
  const madeBy = Buffer.from([version, 3]);
  const rest = Buffer.alloc(14);
  rest.writeUInt32LE(unixMode * 0x10000, 6);
  rest.writeUInt32LE(offset, 10);
  return Buffer.concat([signature('PK\x01\x02'), madeBy, commonFields(entry), rest, entry.name]);
}

function directoryEnd(directory: Buffer[], offset: number): Buffer {
  const end = Buffer.alloc(22);
  end.write('PK\x05\x06', 'latin1');
  end.writeUInt16LE(directory.length, 8);
  end.writeUInt16LE(directory.length, 10);
  end.writeUInt32LE(
    directory.reduce((sum, { length }) => sum + length, 0),
    12,
  );
  end.writeUInt32LE(offset, 16);
  return end;
}

/** Fields of both a file header and a directory entry. */
function commonFields({ name, flags, method, now, crc, packedSize, size }: ZipEntry): Buffer {
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

/** UTC, with the date in the upper half. */
function dosTime(at: Date): number {
  const time = (at.getUTCHours() << 11) | (at.getUTCMinutes() << 5) | (at.getUTCSeconds() >> 1);
  const date = ((at.getUTCFullYear() - 1980) << 9) | ((at.getUTCMonth() + 1) << 5) | at.getUTCDate();
  return date * 0x10000 + time;
}
