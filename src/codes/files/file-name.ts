import type { QrCode } from '../qr-code.ts';
import { extensions, type MediaType } from './media-types.ts';

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
