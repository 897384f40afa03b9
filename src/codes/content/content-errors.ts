import type { FieldError } from '../../errors.ts';
import { parseUrl } from '../../http/parse-url.ts';
import type { CodeType, ErrorCorrection } from '../qr-code.ts';
import { capacityBytes } from './capacity.ts';
import { linksIn } from './hosts.ts';
import { parseContent } from './parse-content.ts';
import { isShareLink } from './share-links.ts';

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
    const message = type === 'url' ? urlError(content, baseUrl) : linkError(type, content, baseUrl);
    if (message) errors.push({ field: 'content', message });
  }
  return errors;
}

function urlError(content: string, baseUrl: string): string | undefined {
  // The URL parser would strip these, but the printed code would contain them.
  if (hasControlCharacter(content) || content.trim() !== content) {
    return 'must be a URL without line breaks, control characters or spaces around it';
  }
  const url = parseUrl(content);
  if (!url) return 'must be an absolute http or https URL, such as https://example.com/';
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return 'must be an http or https URL';
  if (url.username || url.password) return 'must be a URL without a user name or password';
  if (url.port === '0') return 'must not have the port 0, on which nothing can answer';
  return isShareLink(content, baseUrl) ? loop : undefined;
}

/** Checks redirects and links on a page: a loop of twenty codes would count twenty scans at once. */
function linkError(type: CodeType, content: string, baseUrl: string): string | undefined {
  const hasLoop = linksIn(parseContent(type, content)).some((href) => isShareLink(href, baseUrl));
  return hasLoop ? loopInLink : undefined;
}

function hasControlCharacter(text: string): boolean {
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index);
    if (unit < 0x20 || unit === 0x7f) return true;
  }
  return false;
}
