import { pipeline } from 'node:stream/promises';
import { crc32, createDeflateRaw } from 'node:zlib';
import {
  dataDescriptor,
  deflated,
  directoryEnd,
  directoryEntry,
  fileHeader,
  streamedFlag,
  utf8Flag,
  type ZipEntry,
} from './zip-format.ts';

export interface StreamedFile {
  name: string;
  /** Pieces of text or bytes, made when they are asked for. */
  content: AsyncIterable<string | Buffer> | Iterable<Buffer>;
}

/** Of regular files that only their owner may read. */
const unixMode = 0o100600;
/** Without the extension for more, offsets and sizes have 32 bits. */
const maxZipBytes = 0xffff_ffff;

export class ZipTooLargeError extends Error {
  override name = 'ZipTooLargeError';
}

/** A ZIP archive of files of any length, in little memory: whoever stops reading stops the files from being made. */
export async function* streamZip(
  files: AsyncIterable<StreamedFile>,
  now: Date,
  maxBytes = maxZipBytes,
): AsyncGenerator<Buffer> {
  const directory: Buffer[] = [];
  let offset = 0;
  for await (const { name, content } of files) {
    const entry: ZipEntry = {
      name: Buffer.from(name),
      flags: utf8Flag | streamedFlag,
      method: deflated,
      crc: 0,
      packedSize: 0,
      size: 0,
    };
    const start = offset;
    const header = fileHeader(entry, now);
    yield header;
    const deflate = createDeflateRaw();
    const feeding = pipeline(counted(content, entry), deflate);
    // An error of the content also ends the loop, which reports it.
    feeding.catch(() => undefined);
    for await (const chunk of deflate as AsyncIterable<Buffer>) {
      entry.packedSize += chunk.length;
      if (offset + entry.packedSize > maxBytes || entry.size > maxZipBytes)
        throw new ZipTooLargeError(`The archive has more than ${maxBytes} bytes`);
      yield chunk;
    }
    await feeding;
    const descriptor = dataDescriptor(entry, now);
    yield descriptor;
    offset += header.length + entry.packedSize + descriptor.length;
    directory.push(directoryEntry(entry, start, unixMode, now));
  }
  yield directoryEnd(directory, offset);
}

async function* counted(content: StreamedFile['content'], entry: ZipEntry): AsyncGenerator<Buffer> {
  for await (const piece of content) {
    const bytes = typeof piece === 'string' ? Buffer.from(piece) : piece;
    entry.crc = crc32(bytes, entry.crc);
    entry.size += bytes.length;
    yield bytes;
  }
}
