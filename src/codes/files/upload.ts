import { bytesPerMb } from '../../runtime/units.ts';
import type { QrCode } from '../qr-code.ts';

/** Of an uploaded file. */
export const maxLogoBytes = 1024 * 1024;
/** What a file may decode to. Read from its header, before anything is decoded. */
export interface ImageLimits {
  maxSide: number;
  maxPixels: number;
}
/** 40 MB of pixels. */
export const logoImageLimits: ImageLimits = { maxSide: 8_192, maxPixels: 10_000_000 };
/** Of the stored logo: 300 dots per inch on a code that is printed 18 cm wide. */
export const storedLogoSide = 512;
/** Different ones, of an account. */
export const maxLogos = 100;

/** A file that is not accepted. The message is for its owner: what is wrong, and what to do. */
export class ImageError extends Error {
  override name = 'ImageError';
}

export const exportAgain = 'open it in an image editor and export it again';
export const broken = () => new ImageError(`is damaged or incomplete: ${exportAgain}`);
export const hasMore = () => new ImageError(`has other data after the image: ${exportAgain}`);
export const asPng = 'export it as PNG';
export const unsupported = (what: string) => new ImageError(`is an SVG with ${what}: ${asPng}`);

export const maxFileBytes = 10 * bytesPerMb;
/** Read and sent at once. A slow reader holds one of them. */
export const chunkBytes = 128 * 1024;
/** What phones take by default: 100 MB of pixels. */
export const fileImageLimits: ImageLimits = { maxSide: 16_384, maxPixels: 25_000_000 };

/** Of the stored photo of a contact. Phones show it a few millimeters wide. */
export const photoSide = 256;
/** A vCard with more is refused by some phones. */
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

/** What browsers and programs declare where they do not know. */
const undeclared = new Set(['', 'application/octet-stream']);
const otherNames: Record<string, MediaType> = {
  'image/jpg': 'image/jpeg',
  'image/pjpeg': 'image/jpeg',
  'application/x-pdf': 'application/pdf',
};

/** By the first bytes, whatever the name says. */
export function mediaTypeOf(file: Buffer): MediaType | undefined {
  if (file.toString('latin1', 0, 5) === '%PDF-') return 'application/pdf';
  const raster = rasterType(file);
  return raster && `image/${raster}`;
}

/** `declared` is a Content-Type header, or empty. */
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

/** One name without a folder, and with the extension of what the file is. */
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

/** Only the token counts; the name is for people who see the address, and for programs that save what it leads to. */
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

/** Whether a scan of the code opens the file that was uploaded for it. */
export function opensFile({
  type,
  content,
  shareToken,
}: Pick<QrCode, 'type' | 'content' | 'shareToken'>): boolean {
  return type === 'url' && content.includes(`/f/${shareToken}/`);
}

/** What readers look through for the end. */
const tailBytes = 1_024;

/** Stored as it came. What it may do is up to the headers that it is served with, and to the reader. */
export function checkPdf(file: Buffer): void {
  if (!/^%PDF-[12]\.\d/.test(file.toString('latin1', 0, 8)))
    throw new ImageError('is not a PDF file: export it again');
  const tail = file.toString('latin1', Math.max(0, file.length - tailBytes));
  if (tail.includes('%%EOF') && tail.includes('startxref')) return;
  throw new ImageError('is damaged or incomplete, or has other data after the PDF: export it again');
}
