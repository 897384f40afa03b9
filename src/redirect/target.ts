import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { findBlockedCodes } from '../codes/blocks.ts';
import { type CodeContent, type CodeType, parseContent } from '../codes/content/content-types.ts';
import { hostsIn, hostsOf, isShareLink } from '../codes/content/hosts.ts';
import { normalizeDesign } from '../codes/design/design.ts';
import { publicName } from '../codes/public-title.ts';
import { type PageLogo, type PageLook, pageLookOf } from '../codes/share-page.ts';
import { isShareToken } from '../codes/share-token.ts';
import { type SharedCode, findSharedCode } from '../codes/codes.ts';
import { joinCalls } from '../runtime/once.ts';
import { withTimeout } from '../runtime/timeout.ts';
import { dayMs, hourMs } from '../runtime/units.ts';
import type { Database } from '../store/database.ts';
import { buckets, openKnownFolder } from '../store/known-files.ts';
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
    // Not the name that only its owner sees.
    name: publicName(code),
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
 * Version of the format below. Raise it whenever `Target` changes: a file of another version is ignored, and the code is looked up
 * again.
 */
export const targetVersion = 1;

/** A target as it is on the disk. Its content is left out: the release that reads it parses it again. */
type StoredTarget = Omit<Target, 'content'>;

export function packTarget(target: Target): StoredTarget {
  const { content: _content, ...stored } = target;
  return stored;
}

function unpackTarget(stored: StoredTarget, baseUrl: string): Target {
  return {
    ...stored,
    content: parseWithoutLoop(stored.type, stored.picture.content, baseUrl),
    afterExpiryHref: redirectHref(stored.afterExpiryHref ?? '', baseUrl),
  };
}

/** 51,200 codes, usually of one block of 4 KB each. */
const maxPerBucket = 200;
const maxBytes = 32 * 1024;
/** With a disk that hangs, what is beyond this is not saved. */
const maxWaiting = 10_000;
/** Each saved target is compared with the database this often, so that what was deleted or blocked does not stay. */
const checkAllEveryMs = 6 * hourMs;
const closeTimeoutMs = 1_000;

/** The last known targets, on the disk. Used only while the database does not answer. */
export interface SavedTargets {
  /** Undefined if it was not saved. */
  read(token: string): Promise<Target | undefined>;
  /** Writes beside, one file at a time. Null: there is no such code any more. */
  save(token: string, target: Target | null): void;
  /** Passes each token to `check`, slowly. It is to call `save` with the result. */
  checkAll(check: (token: string) => Promise<unknown>): void;
  close(): Promise<void>;
}

interface SavedTargetsOptions {
  folder: string;
  baseUrl: string;
  /** Without a disk to write to, everything goes on; a restart without the database then knows less. */
  onError(error: unknown): void;
  nowMs?: () => number;
  checkEveryMs?: number;
}

interface Written {
  digest: string;
  at: number;
}

export function openSavedTargets({
  folder,
  baseUrl,
  onError,
  nowMs = () => performance.now(),
  checkEveryMs = checkAllEveryMs / buckets,
}: SavedTargetsOptions): SavedTargets {
  const files = openKnownFolder(folder, maxPerBucket);
  const written = new LRUCache<string, Written>({ max: maxPerBucket * buckets });
  const waiting = new Map<string, string | null>();
  let timer: NodeJS.Timeout | undefined;
  let isClosed = false;

  const writeAll = joinCalls(async () => {
    for (const [token, text] of waiting) {
      waiting.delete(token);
      try {
        if (text === null) await files.remove(token);
        else await files.write(token, targetVersion, text);
      } catch (error) {
        written.delete(token);
        onError(error);
      }
    }
  });

  function write(token: string, text: string | null): void {
    if (waiting.size >= maxWaiting) {
      written.delete(token);
      return;
    }
    waiting.set(token, text);
    void writeAll(); // never rejects
  }

  return {
    async read(token) {
      const text = await files.read(token, targetVersion);
      if (text === undefined) return undefined;
      const saved = JSON.parse(text) as { token: string; target: StoredTarget };
      // Where the file system ignores case, two tokens may have one file.
      return saved.token === token ? unpackTarget(saved.target, baseUrl) : undefined;
    },
    save(token, target) {
      if (!target) {
        written.delete(token);
        return write(token, null);
      }
      const text = JSON.stringify({ token, target: packTarget(target) });
      if (Buffer.byteLength(text) > maxBytes) return;
      const digest = createHash('sha1').update(text).digest('base64');
      const before = written.get(token);
      // Written again once a day: what was written longest ago is deleted first.
      if (before?.digest === digest && nowMs() - before.at < dayMs) return;
      written.set(token, { digest, at: nowMs() });
      write(token, text);
    },
    checkAll(check) {
      let bucket = Math.floor(Math.random() * buckets);
      const next = async () => {
        bucket = (bucket + 1) % buckets;
        for (const token of await files.list(bucket)) {
          if (isClosed) return;
          if (isShareToken(token)) await check(token).catch(() => undefined);
        }
      };
      const schedule = () => {
        if (isClosed) return;
        timer = setTimeout(() => void next().finally(schedule), checkEveryMs).unref();
      };
      schedule();
    },
    async close() {
      isClosed = true;
      clearTimeout(timer);
      // A disk that hangs must not delay the shutdown.
      await withTimeout(closeTimeoutMs, writeAll()).catch(() => undefined);
    },
  };
}
