import { deflateSync } from 'node:zlib';
import { pngFile } from '../../src/codes/image/pixels.ts';
import { comment, withSegments } from '../codes/files/camera-files.ts';
import { pdf } from '../codes/files/pdf-file.ts';
import { jpeg, png, svg } from '../codes/files/logo-files.ts';

/** A file that is not accepted, how it is declared, and what its owner is told. */
export interface HostileFile {
  name: string;
  file: Buffer;
  type?: string;
  message: RegExp;
}

const notAFile = /must be a PDF, PNG, JPEG or WebP file/;
const noPdf = /is not a PDF file: export it again/;
const brokenPdf = /is damaged or incomplete, or has other data after the PDF: export it again/;
const broken = /is damaged or incomplete: open it in an image editor/;
const otherType = /is declared as another type than it has: send it as (?:application\/pdf|image\/png)/;
const latin1 = (text: string) => Buffer.from(text, 'latin1');

function pngOfSize(width: number, height: number): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 0], 8);
  return pngFile(header, [], deflateSync(Buffer.alloc(1_000_000)));
}

export async function hostileFiles(): Promise<HostileFile[]> {
  const photo = await jpeg();
  return [
    { name: 'HTML', file: latin1('<!doctype html><script>alert(1)</script>'), message: notAFile },
    { name: 'HTML declared as PDF', file: latin1('<html>'), type: 'application/pdf', message: notAFile },
    { name: 'SVG', file: svg('<script/>'), type: 'image/svg+xml', message: notAFile },
    { name: 'Word', file: latin1('\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1'), message: notAFile },
    { name: 'Windows program', file: latin1('MZ\x90\0'), message: notAFile },
    { name: 'HEIC', file: latin1('\0\0\0\x18ftypheic'), message: notAFile },
    { name: 'PostScript', file: latin1('%!PS-Adobe-3.0'), message: notAFile },
    {
      name: 'HTML before a PDF',
      file: Buffer.concat([latin1('<script>1</script>'), pdf()]),
      message: notAFile,
    },
    { name: 'line break before a PDF', file: Buffer.concat([latin1('\n'), pdf()]), message: notAFile },
    { name: 'magic of a PDF alone', file: latin1('%PDF-'), message: noPdf },
    { name: 'PDF of a version that is none', file: latin1('%PDF-x.y startxref %%EOF'), message: noPdf },
    { name: 'PDF, truncated', file: pdf().subarray(0, -40), message: brokenPdf },
    { name: 'PDF without its table', file: latin1('%PDF-1.4\n%%EOF'), message: brokenPdf },
    {
      name: 'PDF with a ZIP behind it',
      file: Buffer.concat([pdf(), latin1('PK\x03\x04'), Buffer.alloc(4_000)]),
      message: brokenPdf,
    },
    {
      name: 'PDF with HTML behind it',
      file: Buffer.concat([pdf(), latin1('<script>alert(1)</script>'.repeat(100))]),
      message: brokenPdf,
    },
    { name: 'PDF declared as PNG', file: pdf(), type: 'image/png', message: otherType },
    { name: 'PDF declared as HTML', file: pdf(), type: 'text/html; charset=utf-8', message: otherType },
    { name: 'PNG declared as PDF', file: png(), type: 'application/pdf', message: otherType },
    { name: 'PNG declared as SVG', file: png(), type: 'image/svg+xml', message: otherType },
    {
      name: 'PNG declared with 10,000 characters',
      file: png(),
      type: `a/${'b'.repeat(10_000)}`,
      message: otherType,
    },
    { name: 'PNG of 20,000 × 1,000', file: pngOfSize(20_000, 1_000), message: /has 20000 × 1000 pixels/ },
    { name: 'PNG of 5,001 × 5,000', file: pngOfSize(5_001, 5_000), message: /at most .* 25 megapixels/ },
    {
      name: 'PNG with a million chunks',
      file: Buffer.concat([png().subarray(0, 33), Buffer.alloc(12 * 800_000), png().subarray(33)]),
      message: broken,
    },
    {
      name: 'JPEG with a million segments',
      file: withSegments(photo, [Buffer.alloc(4_000_000, comment(''))]),
      message: broken,
    },
    {
      name: 'JPEG with a segment of no length',
      file: withSegments(photo, [latin1('\xff\xe0\0\0')]),
      message: broken,
    },
    {
      name: 'JPEG of fill bytes',
      file: withSegments(photo, [Buffer.alloc(9_000_000, 0xff)]),
      message: broken,
    },
    { name: 'JPEG that ends in its scan', file: photo.subarray(0, -2), message: broken },
    { name: 'JPEG without a scan', file: latin1('\xff\xd8\xff\xd9'), message: broken },
  ];
}

/** PDF files that would do something if a reader let them. They are stored, and served so that nothing of ours is reached. */
export const activePdfs: Record<string, Buffer> = {
  script: pdf({
    catalog:
      '/OpenAction << /S /JavaScript /JS (app.alert\\(1\\); this.submitForm\\("/account/delete"\\)) >>',
  }),
  launch: pdf({ catalog: '/OpenAction << /S /Launch /F (cmd.exe) >>' }),
  address: pdf({ catalog: '/OpenAction << /S /URI /URI (javascript:alert\\(1\\)) >>' }),
  form: pdf({ catalog: '/AcroForm << /XFA (<script contentType="text/html">alert(1)</script>) >>' }),
  page: pdf({ comment: '<script>alert(document.cookie)</script><img src=x onerror=alert(1)>' }),
};
