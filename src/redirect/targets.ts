import { LRUCache } from 'lru-cache';
import { findBlockedCodes } from '../codes/blocks.ts';
import type { CodeContent } from '../codes/content/code-content.ts';
import { hostsIn } from '../codes/content/hosts.ts';
import { parseContent } from '../codes/content/parse-content.ts';
import { isShareLink } from '../codes/content/share-links.ts';
import type { CodeType } from '../codes/qr-code.ts';
import { findSharedCode, type SharedCode } from '../codes/shared-code.ts';
import { withTimeout } from '../runtime/timeout.ts';
import type { Database } from '../store/database.ts';
import type { ImageCode } from './images.ts';

/** What a share address leads to. */
export interface Target {
  codeId: string;
  name: string;
  type: CodeType;
  content: CodeContent;
  picture: ImageCode;
  isPublic: boolean;
  /** By the operator: the code itself, or a host that it leads to. */
  isBlocked: boolean;
  expiresAtMs: number;
}

export interface Targets {
  /** At once where it is remembered. `null`: there is no such code. Rejects where that cannot be found out now. */
  find(token: string): Target | null | Promise<Target | null>;
  /** For the process that changed a code itself: it need not wait until its memory of it is old. */
  forget(token: string): void;
}

// An edit must be seen within 10 s, the time of a query included. Until `renewAfterMs` an entry is simply used; from then
// on the next request has it looked up again in the background, and from `freshMs` on waits for that.
const renewAfterMs = 5_000;
const freshMs = 9_000;
const unknownFreshMs = 2_000;
/** While the database cannot be asked, what was known is used for this long. */
const staleMs = 3_600_000;
const queryDeadlineMs = 800;
/** After a failed look-up nobody waits for another one for this long, if there is an older answer. */
const downPauseMs = 1_000;

interface Entry {
  target: Target | null;
  foundAt: number;
}

export function createTargets(db: Database, baseUrl: string, elapsedMs = () => performance.now()): Targets {
  const entries = new LRUCache<string, Entry>({ max: 50_000 });
  const asked = new Map<string, Promise<Target | null>>();
  let downUntil = 0;

  /** Any number of simultaneous requests for a token make one query. */
  function look(token: string): Promise<Target | null> {
    const underWay = asked.get(token);
    if (underWay) return underWay;
    const answer: Promise<Target | null> = query(token, () => asked.get(token) === answer).finally(() => {
      if (asked.get(token) === answer) asked.delete(token);
    });
    asked.set(token, answer);
    return answer;
  }

  async function read(token: string): Promise<Target | null> {
    const code = await findSharedCode(db, token);
    if (!code) return null;
    const content = contentOf(code, entries.get(token)?.target ?? null, baseUrl);
    const blocked = code.hasAnyBlocks
      ? await findBlockedCodes(db, [{ id: code.id, hosts: hostsIn(content, code.content) }])
      : undefined;
    return toTarget(code, content, blocked?.has(code.id) ?? false);
  }

  async function query(token: string, isWanted: () => boolean): Promise<Target | null> {
    try {
      const target = await withTimeout(queryDeadlineMs, read(token));
      // Forgotten meanwhile: it may be from before the change.
      if (isWanted()) entries.set(token, { target, foundAt: elapsedMs() });
      return target;
    } catch (error) {
      downUntil = elapsedMs() + downPauseMs;
      throw error;
    }
  }

  return {
    find(token) {
      const entry = entries.get(token);
      if (!entry) return look(token);
      const age = elapsedMs() - entry.foundAt;
      if (age < (entry.target ? renewAfterMs : unknownFreshMs)) return entry.target;
      const usable = age < (entry.target ? staleMs : unknownFreshMs);
      if (usable && (age < freshMs || elapsedMs() < downUntil)) {
        if (elapsedMs() >= downUntil) look(token).catch(() => undefined); // the older answer stands
        return entry.target;
      }
      return usable ? look(token).catch(() => entry.target) : look(token);
    },
    forget(token) {
      entries.delete(token);
      asked.delete(token);
    },
  };
}

/** Reading a long one takes its time: not again while it stays as it is. */
function contentOf({ type, content }: SharedCode, before: Target | null, baseUrl: string): CodeContent {
  const isSame = before?.type === type && before.picture.content === content;
  return isSame ? before.content : withoutCircle(parseContent(type, content), baseUrl);
}

/** A code that leads to another one, stored before that was refused or under another BASE_URL, takes a tap for each hop. */
function withoutCircle(content: CodeContent, baseUrl: string): CodeContent {
  if (content.kind !== 'link' || !isShareLink(content.href, baseUrl)) return content;
  return { kind: 'links', lines: [{ text: content.href, href: content.href }] };
}

function toTarget(code: SharedCode, content: CodeContent, isBlocked: boolean): Target {
  const { errorCorrection, size, foregroundColor, backgroundColor } = code;
  return {
    codeId: code.id,
    name: code.name,
    type: code.type,
    content,
    picture: { content: code.content, errorCorrection, size, foregroundColor, backgroundColor },
    isPublic: code.isPublic,
    isBlocked,
    expiresAtMs: code.expiresAt.getTime(),
  };
}
