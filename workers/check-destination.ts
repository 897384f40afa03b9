import { parseContent } from '../src/codes/content/content-types.ts';
import type { DestinationState } from '../src/notices/destinations.ts';
import {
  type OutboundRequest,
  type OutboundResponse,
  RefusedAddressError,
} from '../src/net/outbound-request.ts';

export interface CheckParts {
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
export async function checkDestination(
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
