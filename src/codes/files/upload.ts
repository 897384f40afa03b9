import { bytesPerMb } from '../../runtime/units.ts';
import type { QrCode } from '../qr-code.ts';

export const maxLogoBytes = 1024 * 1024;
/** Checked against the header, before anything is decoded. */
export interface ImageLimits {
  maxSide: number;
  maxPixels: number;
}
/** 40 MB of pixels. */
export const logoImageLimits: ImageLimits = { maxSide: 8_192, maxPixels: 10_000_000 };
/** Longer side of a stored logo: 300 dpi on a code printed 18 cm wide. */
export const storedLogoSide = 512;
/** Different logos per account. */
export const maxLogos = 100;

/** An upload that is rejected. The message tells its owner what is wrong and what to do. */
export class ImageError extends Error {
  override name = 'ImageError';
}

const exportAgain = 'open it in an image editor and export it again';
export const broken = () => new ImageError(`is damaged or incomplete: ${exportAgain}`);
export const hasMore = () => new ImageError(`has other data after the image: ${exportAgain}`);
export const asPng = 'export it as PNG';
export const unsupported = (what: string) => new ImageError(`is an SVG with ${what}: ${asPng}`);

export const maxFileBytes = 10 * bytesPerMb;
/** A slow reader holds one chunk in memory. */
export const chunkBytes = 128 * 1024;
/** Default photo size of phones: 100 MB of pixels. */
export const fileImageLimits: ImageLimits = { maxSide: 16_384, maxPixels: 25_000_000 };

/** Side of a contact's photo. Phones show it a few millimeters wide. */
export const photoSide = 256;
/** Some phones reject larger vCards. */
export const maxPhotoBytes = 64 * 1024;

export type RasterType = 'png' | 'jpeg' | 'webp';

export function rasterType(file: Buffer): RasterType | undefined {
  if (file.toString('latin1', 0, 8) === '\x89PNG\r\n\x1a\n') return 'png';
  if (file.toString('latin1', 0, 3) === '\xff\xd8\xff') return 'jpeg';
  if (file.toString('latin1', 0, 4) === 'RIFF' && file.toString('latin1', 8, 12) === 'WEBP') return 'webp';
  return undefined;
}

export const mediaTypes = ['application/pdf', 'image/png', 'image/jpeg', 'image/webp'] as const;
export type MediaType = (typeof mediaTypes)[number];

export const extensions: Record<MediaType, string> = {
  'application/pdf': 'pdf',
  'image/png': 'png',
  'image/jpeg': 'jpg',
  'image/webp': 'webp',
};

/** Declared by clients that do not know the type. */
const undeclared = new Set(['', 'application/octet-stream']);
const otherNames: Record<string, MediaType> = {
  'image/jpg': 'image/jpeg',
  'image/pjpeg': 'image/jpeg',
  'application/x-pdf': 'application/pdf',
};

/** Detected by the first bytes. */
export function mediaTypeOf(file: Buffer): MediaType | undefined {
  if (file.toString('latin1', 0, 5) === '%PDF-') return 'application/pdf';
  const raster = rasterType(file);
  return raster && `image/${raster}`;
}

/** Whether a Content-Type header, if any, matches the detected type. */
export function agrees(declared: string, found: MediaType): boolean {
  const [type = ''] = declared.slice(0, 200).split(';', 1);
  const name = type.trim().toLowerCase();
  return undeclared.has(name) || name === found || otherNames[name] === found;
}

/** Keeps names with their extension below the 255 bytes that file systems allow. */
const maxStemLength = 60;
const maxGivenLength = 1_000;
const knownExtension = /\.(?:pdf|png|jpe?g|webp)$/i;
const unsafe = /[\p{Cc}\p{Zl}\p{Zp}\u200e\u200f\u202a-\u202e\u2066-\u2069"*/:<>?\\|]/gu;

/** A name without folders, and with the extension of the detected type. */
export function fileNameOf(given: string, type: MediaType): string {
  const [last = ''] = given.slice(-maxGivenLength).toWellFormed().split(/[/\\]/).slice(-1);
  const stem = last
    .normalize('NFC')
    .replace(unsafe, '')
    .trim()
    .replace(knownExtension, '')
    .replace(/^[. ]{1,100}/, '');
  const short = [...stem].slice(0, maxStemLength).join('').trim();
  return `${short || 'file'}.${extensions[type]}`;
}

/** The token identifies the file; the name is for people and for saving it. */
export function fileAddress(baseUrl: string, token: string, name: string): string {
  const dot = name.lastIndexOf('.');
  const stem = name
    .slice(0, dot)
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replace(/[^\w-]+/g, '-')
    .replace(/^-|-$/g, '');
  return `${baseUrl}/f/${token}/${stem || 'file'}${name.slice(dot)}`;
}

/** Whether this service has made the address. Other hosts may have addresses with the same path. */
export function isFileAddress(baseUrl: string, token: string, address: string): boolean {
  const folder = `${baseUrl}/f/${token}/`;
  return address.startsWith(folder) && /^[\w-]+\.\w+$/.test(address.slice(folder.length));
}

/** Whether a scan of the code opens the file that was uploaded for it. For what pages show: the owner may have chosen the host. */
export function opensFile({
  type,
  content,
  shareToken,
}: Pick<QrCode, 'type' | 'content' | 'shareToken'>): boolean {
  return type === 'url' && content.includes(`/f/${shareToken}/`);
}

/** Where PDF readers look for the end. */
const tailBytes = 1_024;

/** PDFs are stored unchanged. Response headers restrict what they may do. */
export function checkPdf(file: Buffer): void {
  if (!/^%PDF-[12]\.\d/.test(file.toString('latin1', 0, 8)))
    throw new ImageError('is not a PDF file: export it again');
  const tail = file.toString('latin1', Math.max(0, file.length - tailBytes));
  if (tail.includes('%%EOF') && tail.includes('startxref')) return;
  throw new ImageError('is damaged or incomplete, or has other data after the PDF: export it again');
}
