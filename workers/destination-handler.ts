import { setTimeout as sleep } from 'node:timers/promises';
import { generateShareToken } from '../src/codes/share-token.ts';
import {
  claimCodes,
  type DueCode,
  findDueCodes,
  passFrom,
  type PassPosition,
  recordDestination,
  takeHostTurn,
} from '../src/notices/destinations.ts';
import type { OutboundRequest, OutboundResponse } from '../src/net/outbound-request.ts';
import type { JobHandler } from '../src/queue/queue-worker.ts';
import { type Database, isDatabaseUnavailable } from '../src/store/database.ts';
import type { Log } from '../src/telemetry/log.ts';
import { checkDestination, destinationOf } from './check-destination.ts';

/** The next run goes on with what is left. */
const maxRunMs = 55 * 60_000;
const parallelHosts = 8;
/** Of one host before the codes of others are looked at again. */
const urlsPerHost = 30;

export interface DestinationHandlerOptions {
  /** Not the connections that record scans. */
  backgroundDb: Database;
  /** Connects to public addresses only, in bounded time. */
  sendCheck(request: OutboundRequest): Promise<OutboundResponse>;
  /** False where no mails are sent: nobody would learn of the result. */
  mailer: unknown;
  site: { baseUrl: string };
  closing: AbortSignal;
  log: Log;
  now?: () => Date;
}

/** Safe to repeat: codes are claimed before their address is requested. */
export function createDestinationHandler({
  backgroundDb: db,
  sendCheck,
  mailer,
  site,
  closing,
  log,
  now = () => new Date(),
}: DestinationHandlerOptions): JobHandler<object> {
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

  return async () => {
    if (!mailer) return;
    const until = performance.now() + maxRunMs;
    const isOver = () => closing.aborted || performance.now() > until;
    try {
      while (!isOver() && (await pass(isOver)) > 0);
    } catch (err) {
      // It was waiting for a host.
      if (closing.aborted) return;
      if (!isDatabaseUnavailable(err)) throw err;
      // The next run finds the same: put back, the runs of an outage would pile up.
      log.warn({ err }, 'the addresses that codes lead to could not be checked');
    }
  };
}
