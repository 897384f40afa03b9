import type { FieldError } from '../../errors.ts';
import type { ErrorCorrection } from '../qr-code.ts';
import { type CodeType, contentType, parseContent } from './content-types.ts';
import { isShareLink, linksIn } from './hosts.ts';
import { maxContentBytes } from './plain-text.ts';

/** UTF-8 bytes that a QR code of version 40 holds in byte mode. */
const capacityBytes: Record<ErrorCorrection, number> = { L: maxContentBytes, M: 2331, Q: 1663, H: 1273 };

const loop = 'must not be a share address of this service: scanning it would redirect in a loop';
const loopInLink = 'must not link to a share address of this service: scanning it would redirect in a loop';

/** A field that is invalid itself is undefined, and not checked against the others. */
export interface ContentToCheck {
  content: string | undefined;
  type: CodeType | undefined;
  errorCorrection: ErrorCorrection | undefined;
}

/** The rules of type and error correction that a schema cannot express. */
export function contentErrors(
  { content, type, errorCorrection }: ContentToCheck,
  baseUrl: string,
): FieldError[] {
  if (content === undefined) return [];
  const errors: FieldError[] = [];
  const bytes = Buffer.byteLength(content);
  const maxBytes = capacityBytes[errorCorrection ?? 'L'];
  if (bytes > maxBytes) {
    const level = errorCorrection === undefined ? '' : ` at error correction ${errorCorrection}`;
    const message = `must be at most ${maxBytes} bytes of UTF-8${level}; it has ${bytes}`;
    errors.push({ field: 'content', message });
  } else if (type !== undefined) {
    const message = contentType(type).rule?.(content) ?? linkError(type, content, baseUrl);
    if (message) errors.push({ field: 'content', message });
  }
  return errors;
}

/** Checks redirects and links on a page: a loop of twenty codes would count twenty scans at once. */
function linkError(type: CodeType, content: string, baseUrl: string): string | undefined {
  const hasLoop = linksIn(parseContent(type, content)).some((href) => isShareLink(href, baseUrl));
  return hasLoop ? (type === 'url' ? loop : loopInLink) : undefined;
}
