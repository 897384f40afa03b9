import { LRUCache } from 'lru-cache';
import { type CodeType, QrCode } from '../codes/qr-code.ts';
import type { Database } from '../store/database.ts';

/** What a share address leads to. */
export interface Target {
  codeId: string;
  type: CodeType;
  name: string;
  content: string;
  /** Ready for a Location header; absent where the answer is a page. */
  location: string | undefined;
  isPublic: boolean;
  expiresAtMs: number;
}

export interface Targets {
  /** At once where it is remembered. `null`: there is no such code. */
  find(token: string): Target | null | Promise<Target | null>;
}

// An edit must be seen within 10 s, the time of the query included.
const memoryMs = 8_000;
const unknownMemoryMs = 2_000;

export function createTargets(db: Database): Targets {
  const known = new LRUCache<string, { target: Target | null }>({ max: 50_000 });
  const asked = new Map<string, Promise<Target | null>>();

  async function look(token: string): Promise<Target | null> {
    try {
      const code = await QrCode.query(db).findOne({ share_token: token });
      const target = code ? toTarget(code) : null;
      known.set(token, { target }, { ttl: target ? memoryMs : unknownMemoryMs });
      return target;
    } finally {
      asked.delete(token);
    }
  }

  return {
    find(token) {
      const memory = known.get(token);
      if (memory) return memory.target;
      // Any number of simultaneous requests for a token that is not remembered make one query.
      let answer = asked.get(token);
      if (!answer) {
        answer = look(token);
        asked.set(token, answer);
      }
      return answer;
    },
  };
}

function toTarget(code: QrCode): Target {
  return {
    codeId: code.id,
    type: code.type,
    name: code.name,
    content: code.content,
    location: redirectLocation(code),
    isPublic: code.isPublic,
    expiresAtMs: code.expiresAt.getTime(),
  };
}

/** Only http and https leave in a Location header, and only as the parser writes them: plain ASCII, no line breaks. */
function redirectLocation({ type, content }: QrCode): string | undefined {
  if (type !== 'url' && type !== 'social' && type !== 'whatsapp') return undefined;
  if (URL.canParse(content)) {
    const { protocol, href } = new URL(content);
    return protocol === 'http:' || protocol === 'https:' ? href : undefined;
  }
  const digits = content.replace(/[\s().-]/g, '');
  if (type === 'whatsapp' && /^\+?\d{5,15}$/.test(digits)) return `https://wa.me/${digits.replace('+', '')}`;
  return undefined;
}
