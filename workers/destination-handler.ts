import { setTimeout as sleep } from 'node:timers/promises';
import { parseContent } from '../src/codes/content/content-types.ts';
import { generateShareToken } from '../src/codes/share-token.ts';
import {
  type OutboundRequest,
  type OutboundResponse,
  RefusedAddressError,
} from '../src/net/outbound-request.ts';
import {
  type DestinationState,
  type DueCode,
  type PassPosition,
  claimCodes,
  findDueCodes,
  passFrom,
  recordDestination,
  takeHostTurn,
} from '../src/notices/destinations.ts';
import type { PeriodicHandler } from '../src/queue/periodic-queue.ts';
import type { Database } from '../src/store/database.ts';

const parallelHosts = 8;
/** URLs of one host that are checked before other codes are looked at again. */
const urlsPerHost = 30;

interface DestinationHandlerOptions {
  /** Not the connections that record scans. */
  backgroundDb: Database;
  /** Connects to public addresses only, in bounded time. */
  sendCheck(request: OutboundRequest): Promise<OutboundResponse>;
  /** False where no mails are sent: nobody would learn of the result. */
  mailer: unknown;
  site: { baseUrl: string };
  closing: AbortSignal;
  now?: () => Date;
}

/** Safe to repeat: codes are claimed before their address is requested. */
export function createDestinationHandler({
  backgroundDb: db,
  sendCheck,
  mailer,
  site,
  closing,
  now = () => new Date(),
}: DestinationHandlerOptions): PeriodicHandler {
  const parts = {
    send: sendCheck,
    userAgent: `Qrelay-Link-Check/1 (+${site.baseUrl})`,
    async waitForTurn(host: string): Promise<void> {
      for (let ms = await takeHostTurn(db, host); ms > 0; ms = await takeHostTurn(db, host))
        await sleep(ms, undefined, { signal: closing });
    },
  };

  async function checkUrl(url: string, codeIds: string[]): Promise<number> {
    const claimed = await claimCodes(db, codeIds, url, now());
    if (claimed.length > 0) {
      const state = await checkDestination(url, parts);
      await recordDestination(db, claimed, { url, state }, now());
    }
    return claimed.length;
  }

  /** Returns how many codes were checked. */
  async function checkCodes(codes: DueCode[], isOver: () => boolean): Promise<number> {
    const byUrl = new Map<string, string[]>();
    for (const { id, content } of codes) {
      const url = destinationOf(content) ?? '';
      byUrl.set(url, [...(byUrl.get(url) ?? []), id]);
    }
    // They have no address; noted, so that they are not found again today.
    let checked = (await claimCodes(db, byUrl.get('') ?? [], '', now())).length;
    byUrl.delete('');
    const byHost = new Map<string, string[]>();
    for (const url of byUrl.keys()) {
      const { hostname } = new URL(url);
      byHost.set(hostname, [...(byHost.get(hostname) ?? []), url]);
    }
    const hosts = byHost.values();
    await Promise.all(
      Array.from({ length: parallelHosts }, async () => {
        for (const urls of hosts)
          for (const url of urls.slice(0, urlsPerHost)) {
            if (isOver()) return;
            checked += await checkUrl(url, byUrl.get(url) ?? []);
          }
      }),
    );
    return checked;
  }

  /** Goes through all codes once, from a random one on: what a run does not reach is another time's. */
  async function pass(isOver: () => boolean): Promise<number> {
    let checked = 0;
    for (let at: PassPosition | undefined = passFrom(generateShareToken()); at && !isOver(); ) {
      const { codes, next }: Awaited<ReturnType<typeof findDueCodes>> = await findDueCodes(db, at, now());
      checked += await checkCodes(codes, isOver);
      at = next;
    }
    return checked;
  }

  return async ({ isOver }) => {
    if (!mailer) return;
    try {
      while (!isOver() && (await pass(isOver)) > 0);
    } catch (err) {
      // It was waiting for a host.
      if (!closing.aborted) throw err;
    }
  };
}

interface CheckParts {
  send(request: OutboundRequest): Promise<OutboundResponse>;
  /** Resolves when the next request to the host may be made. */
  waitForTurn(host: string): Promise<void>;
  userAgent: string;
}

/** Says something about this machine or its network, not about the destination. */
const ownFailures = new Set(['EAI_AGAIN', 'ENETDOWN', 'ENETUNREACH', 'EADDRNOTAVAIL', 'EMFILE', 'ENFILE']);

/** The address that a code leads to. Undefined for other contents. */
export function destinationOf(content: string): string | undefined {
  const parsed = parseContent('url', content);
  return parsed.kind === 'link' ? parsed.href : undefined;
}

/**
 * HEAD, and GET where that does not succeed: many servers answer HEAD with an error. Only "not found" and "gone" count, as
 * others, such as 403 or 503, are often meant for programs only. A redirect is an answer and is not followed.
 */
async function checkDestination(
  url: string,
  { send, waitForTurn, userAgent }: CheckParts,
): Promise<DestinationState> {
  const { hostname } = new URL(url);
  const headers = { 'User-Agent': userAgent, Accept: '*/*' };

  async function ask(method: 'HEAD' | 'GET'): Promise<number | Error> {
    await waitForTurn(hostname);
    try {
      return (await send({ url, method, headers })).status;
    } catch (error) {
      return error instanceof Error ? error : new Error(String(error));
    }
  }

  const first = await ask('HEAD');
  if (isUnknown(first) || (typeof first === 'number' && first < 400)) return null;
  const second = await ask('GET');
  if (isUnknown(second)) return null;
  if (typeof second === 'number') return second === 404 || second === 410 ? 'gone' : null;
  return 'unreachable';
}

function isUnknown(answer: number | Error): boolean {
  if (typeof answer === 'number') return false;
  return (
    answer instanceof RefusedAddressError || ownFailures.has((answer as NodeJS.ErrnoException).code ?? '')
  );
}
