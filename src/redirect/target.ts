import { findBlockedCodes } from '../codes/blocks.ts';
import { parseContent, type CodeContent, type CodeType } from '../codes/content/content-types.ts';
import { hostsIn, hostsOf, isShareLink } from '../codes/content/hosts.ts';
import { normalizeDesign } from '../codes/design/design.ts';
import type { PageLogo } from '../codes/logo/page-logo.ts';
import { type PageLook, pageLookOf } from '../codes/page-look.ts';
import { findSharedCode, type SharedCode } from '../codes/shared-code.ts';
import type { Database } from '../store/database.ts';
import type { ImageCode } from './images.ts';

/** What a share link points to. */
export interface Target {
  codeId: string;
  name: string;
  type: CodeType;
  content: CodeContent;
  picture: ImageCode;
  look: PageLook;
  /** The id of the photo of a contact. */
  photo: string | undefined;
  pageLogo: PageLogo | null;
  isPublic: boolean;
  /** The operator blocked the code, or a host that it links to. */
  isBlocked: boolean;
  expiresAtMs: number;
  /** Where the owner sends scanners after the end. */
  afterExpiryHref: string | undefined;
}

/** `null` if there is no such code. `before` is what the token pointed to when it was last read. */
export async function readTarget(
  db: Database,
  token: string,
  baseUrl: string,
  before: Target | undefined,
): Promise<Target | null> {
  const code = await findSharedCode(db, token);
  if (!code) return null;
  const content = contentOf(code, before, baseUrl);
  const later = code.afterExpiryUrl ?? '';
  const hosts = () => [...hostsIn(content, code.content), ...hostsOf('url', later)];
  const blocked = code.hasAnyBlocks
    ? await findBlockedCodes(db, [{ id: code.id, hosts: hosts() }])
    : undefined;
  return toTarget(code, content, {
    isBlocked: blocked?.has(code.id) ?? false,
    afterExpiryHref: redirectHref(later, baseUrl),
  });
}

/** Parsing long content is expensive: the previous result is reused while the content stays the same. */
function contentOf({ type, content }: SharedCode, before: Target | undefined, baseUrl: string): CodeContent {
  const isSame = before?.type === type && before.picture.content === content;
  return isSame ? before.content : parseWithoutLoop(type, content, baseUrl);
}

/** A code that links to another code could redirect in a loop: it shows a page with the link instead. */
function parseWithoutLoop(type: CodeType, text: string, baseUrl: string): CodeContent {
  const content = parseContent(type, text);
  if (content.kind !== 'link' || !isShareLink(content.href, baseUrl)) return content;
  return { kind: 'links', lines: [{ text: content.href, href: content.href }] };
}

/** Undefined for what does not redirect, also where BASE_URL has changed since and it would redirect in a loop. */
function redirectHref(url: string, baseUrl: string): string | undefined {
  const content = parseWithoutLoop('url', url, baseUrl);
  return content.kind === 'link' ? content.href : undefined;
}

function toTarget(
  code: SharedCode,
  content: CodeContent,
  found: Pick<Target, 'isBlocked' | 'afterExpiryHref'>,
): Target {
  const { errorCorrection, size, foregroundColor, backgroundColor } = code;
  return {
    codeId: code.id,
    name: code.name,
    type: code.type,
    content,
    picture: {
      content: code.content,
      errorCorrection,
      size,
      foregroundColor,
      backgroundColor,
      design: code.design ? normalizeDesign(code.design) : undefined,
    },
    look: pageLookOf(code),
    photo: code.photo ?? undefined,
    pageLogo: code.pageLogo,
    isPublic: code.isPublic,
    expiresAtMs: code.expiresAt.getTime(),
    ...found,
  };
}

/**
 * Of the form below. Raise it whenever `Target` changes: a file of another version is ignored, and the code is looked up
 * again.
 */
export const targetVersion = 1;

/** What of a target is written to the disk: the content is parsed again, by the release that reads it. */
export type StoredTarget = Omit<Target, 'content'>;

export function packTarget(target: Target): StoredTarget {
  const { content: _content, ...stored } = target;
  return stored;
}

export function unpackTarget(stored: StoredTarget, baseUrl: string): Target {
  return {
    ...stored,
    content: parseWithoutLoop(stored.type, stored.picture.content, baseUrl),
    afterExpiryHref: redirectHref(stored.afterExpiryHref ?? '', baseUrl),
  };
}
