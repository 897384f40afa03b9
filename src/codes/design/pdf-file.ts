import { deflateSync } from 'node:zlib';

/** A value of PDF, written in its syntax. */
export type PdfValue = string | number | PdfValue[] | { [name: string]: PdfValue };

/** An object of the file, to be referred to as `1 0 R`. */
export type PdfReference = string;

/** Builds a PDF file object by object. */
export function createPdfFile() {
  const objects: string[] = [];

  function add(value: PdfValue): PdfReference {
    objects.push(write(value));
    return `${objects.length} 0 R`;
  }

  function addCompressed(data: Uint8Array, entries: { [name: string]: PdfValue } = {}): PdfReference {
    const dictionary = write({ ...entries, Length: data.length, Filter: '/FlateDecode' });
    objects.push(`${dictionary}\nstream\n${Buffer.from(data).toString('latin1')}\nendstream`);
    return `${objects.length} 0 R`;
  }

  return {
    add,
    addStream: (data: Buffer) => addCompressed(deflateSync(data)),
    addCompressed,
    finish(root: PdfReference, info: PdfReference): Buffer {
      // The second line says that the file has bytes above 127.
      let file = '%PDF-1.4\n%\xe2\xe3\xcf\xd3\n';
      const offsets = objects.map((object, index) => {
        const offset = file.length;
        file += `${index + 1} 0 obj\n${object}\nendobj\n`;
        return offset;
      });
      const start = file.length;
      const entries = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`);
      file += `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${entries.join('')}`;
      file += `trailer\n${write({ Size: objects.length + 1, Root: root, Info: info })}\n`;
      return Buffer.from(`${file}startxref\n${start}\n%%EOF\n`, 'latin1');
    },
  };
}

function write(value: PdfValue): string {
  if (typeof value === 'number') return writeNumber(value);
  if (typeof value === 'string') return value;
  if (Array.isArray(value)) return `[${value.map(write).join(' ')}]`;
  const entries = Object.entries(value).map(([name, entry]) => `/${name} ${write(entry)}`);
  return `<< ${entries.join(' ')} >>`;
}

/** PDF has no exponents. */
export function writeNumber(value: number): string {
  return String(Math.round(value * 10_000) / 10_000);
}
