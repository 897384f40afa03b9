import { logoDictionary, type PdfLogo } from '../design/logo-pdf.ts';

/** Writes a PDF page by page, so that its first bytes can be sent while later pages are drawn. */

export interface PdfPage {
  widthMm: number;
  heightMm: number;
  /** The operators of the page, compressed. */
  content: Uint8Array;
  /** Its /Resources, without the logos. */
  resources: string;
  /** Those on the page, by their ids. */
  logos: Map<string, PdfLogo>;
}

export const pointsPerMm = 72 / 25.4;

/** PDF has no exponents. */
export function pdfNumber(value: number): string {
  return String(Math.round(value * 10_000) / 10_000);
}

/** The numbers of the objects that every file has. */
const catalog = 1;
const pages = 2;
const font = 3;
const info = 4;
/** The name that pages use for the font. */
export const fontName = '/F';
const fontObject = '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>';

export async function* writePdf(drawn: AsyncIterable<PdfPage>): AsyncGenerator<Buffer> {
  const offsets: number[] = [];
  const pageNumbers: number[] = [];
  let length = 0;
  let lastNumber: number = info;
  const logoNumbers = new Map<string, number>();

  const track = (part: Buffer) => {
    length += part.length;
    return part;
  };
  const object = (number: number, ...parts: (string | Uint8Array)[]) => {
    offsets[number] = length;
    const bytes = [`${number} 0 obj\n`, ...parts, '\nendobj\n'].map((part) =>
      typeof part === 'string' ? Buffer.from(part, 'latin1') : part,
    );
    return track(Buffer.concat(bytes));
  };

  // The second line says that the file has bytes above 127.
  yield track(Buffer.from('%PDF-1.4\n%\xe2\xe3\xcf\xd3\n', 'latin1'));
  yield object(font, fontObject);
  yield object(info, '<< /Title (QR codes) /Producer (Qrelay) >>');
  for await (const { widthMm, heightMm, content, resources, logos } of drawn) {
    for (const [id, logo] of logos) {
      if (logoNumbers.has(id)) continue;
      const maskNumber = (lastNumber += 1);
      yield object(maskNumber, ...stream(logo.alpha, logoDictionary(logo)));
      const logoNumber = (lastNumber += 1);
      yield object(logoNumber, ...stream(logo.colors, logoDictionary(logo, `${maskNumber} 0 R`)));
      logoNumbers.set(id, logoNumber);
    }
    const shown = [...logos.keys()].map((id) => `/${logoName(id)} ${logoNumbers.get(id)} 0 R`).join(' ');
    const contentNumber = (lastNumber += 1);
    yield object(contentNumber, ...stream(content));
    const pageNumber = (lastNumber += 1);
    pageNumbers.push(pageNumber);
    const box = [0, 0, widthMm * pointsPerMm, heightMm * pointsPerMm].map(pdfNumber).join(' ');
    yield object(
      pageNumber,
      `<< /Type /Page /Parent ${pages} 0 R /MediaBox [${box}] /Contents ${contentNumber} 0 R /Resources << ${resources} /XObject << ${shown} >> >> >>`,
    );
  }
  const kids = pageNumbers.map((number) => `${number} 0 R`).join(' ');
  yield object(pages, `<< /Type /Pages /Count ${pageNumbers.length} /Kids [${kids}] >>`);
  // Without scaling: labels must stay where the sheet has them.
  const preferences = '/ViewerPreferences << /PrintScaling /None >>';
  yield object(catalog, `<< /Type /Catalog /Pages ${pages} 0 R ${preferences} >>`);
  const start = length;
  const entries = Array.from(
    { length: lastNumber },
    (_, index) => `${String(offsets[index + 1]).padStart(10, '0')} 00000 n \n`,
  );
  yield Buffer.from(
    `xref\n0 ${lastNumber + 1}\n0000000000 65535 f \n${entries.join('')}trailer\n` +
      `<< /Size ${lastNumber + 1} /Root ${catalog} 0 R /Info ${info} 0 R >>\nstartxref\n${start}\n%%EOF\n`,
    'latin1',
  );
}

function stream(data: Uint8Array, entries: Record<string, string | number> = {}): (string | Uint8Array)[] {
  const all = { ...entries, Length: data.length, Filter: '/FlateDecode' };
  const dictionary = Object.entries(all).map(([name, value]) => `/${name} ${value}`);
  return [`<< ${dictionary.join(' ')} >>\nstream\n`, data, '\nendstream'];
}

/** The name that pages use for a logo. */
export const logoName = (id: string) => `L${id}`;

export const fontReference = `${font} 0 R`;
