import { LRUCache } from 'lru-cache';
import { findBlockedCodes } from '../codes/blocks.ts';
import type { CodeContent } from '../codes/content/code-content.ts';
import { hostsIn, hostsOf } from '../codes/content/hosts.ts';
import { parseContent } from '../codes/content/parse-content.ts';
import { isShareLink } from '../codes/content/share-links.ts';
import { type PageLook, pageLookOf } from '../codes/page-look.ts';
import { normalizeDesign } from '../codes/design/design.ts';
import type { PageLogo } from '../codes/logo/page-logo.ts';
import type { CodeType } from '../codes/qr-code.ts';
import { findSharedCode, type SharedCode } from '../codes/shared-code.ts';
import { withTimeout } from '../runtime/timeout.ts';
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

export interface Targets {
  /** Synchronous if cached. `null` if there is no such code. Rejects if the lookup fails and nothing is cached. */
  find(token: string): Target | null | Promise<Target | null>;
  /** Drops the cached target, so that the process that changed a code serves the change at once. */
  forget(token: string): void;
}

// An edit must be visible within 10 s, including the time of the query. After `renewAfterMs` a request refreshes the
// entry in the background; after `freshMs` it waits for the refresh.
const renewAfterMs = 5_000;
const freshMs = 9_000;
const unknownFreshMs = 2_000;
/** While the database is down, a stale entry is served for this long. */
const staleMs = 3_600_000;
const queryDeadlineMs = 800;
/** After a failed lookup, requests with a stale entry do not wait for another one for this long. */
const downPauseMs = 1_000;

interface Entry {
  target: Target | null;
  foundAt: number;
}

export function createTargets(db: Database, baseUrl: string, elapsedMs = () => performance.now()): Targets {
  const entries = new LRUCache<string, Entry>({ max: 50_000 });
  const lookups = new Map<string, Promise<Target | null>>();
  let downUntil = 0;

  /** Simultaneous requests for a token share one query. */
  function lookUp(token: string): Promise<Target | null> {
    const pending = lookups.get(token);
    if (pending) return pending;
    const lookup: Promise<Target | null> = query(token, () => lookups.get(token) === lookup).finally(() => {
      if (lookups.get(token) === lookup) lookups.delete(token);
    });
    lookups.set(token, lookup);
    return lookup;
  }

  async function read(token: string): Promise<Target | null> {
    const code = await findSharedCode(db, token);
    if (!code) return null;
    const content = contentOf(code, entries.get(token)?.target ?? null, baseUrl);
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

  async function query(token: string, isCurrent: () => boolean): Promise<Target | null> {
    try {
      const target = await withTimeout(queryDeadlineMs, read(token));
      // If `forget` was called meanwhile, the result may be from before the change.
      if (isCurrent()) entries.set(token, { target, foundAt: elapsedMs() });
      return target;
    } catch (error) {
      downUntil = elapsedMs() + downPauseMs;
      throw error;
    }
  }

  return {
    find(token) {
      const entry = entries.get(token);
      if (!entry) return lookUp(token);
      const age = elapsedMs() - entry.foundAt;
      if (age < (entry.target ? renewAfterMs : unknownFreshMs)) return entry.target;
      const usable = age < (entry.target ? staleMs : unknownFreshMs);
      if (usable && (age < freshMs || elapsedMs() < downUntil)) {
        if (elapsedMs() >= downUntil) lookUp(token).catch(() => undefined); // the stale entry stays
        return entry.target;
      }
      return usable ? lookUp(token).catch(() => entry.target) : lookUp(token);
    },
    forget(token) {
      entries.delete(token);
      lookups.delete(token);
    },
  };
}

/** Parsing long content is expensive: the previous result is reused while the content stays the same. */
function contentOf({ type, content }: SharedCode, before: Target | null, baseUrl: string): CodeContent {
  const isSame = before?.type === type && before.picture.content === content;
  return isSame ? before.content : withoutRedirectLoop(parseContent(type, content), baseUrl);
}

/** A code that links to another code could redirect in a loop: it shows a page with the link instead. */
function withoutRedirectLoop(content: CodeContent, baseUrl: string): CodeContent {
  if (content.kind !== 'link' || !isShareLink(content.href, baseUrl)) return content;
  return { kind: 'links', lines: [{ text: content.href, href: content.href }] };
}

/** Undefined for what does not redirect, also where BASE_URL has changed since and it would redirect in a loop. */
function redirectHref(url: string, baseUrl: string): string | undefined {
  const content = withoutRedirectLoop(parseContent('url', url), baseUrl);
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
