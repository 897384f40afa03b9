import { rasterType } from '../logo/image-header.ts';

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
