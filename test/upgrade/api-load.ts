import { setTimeout as sleep } from 'node:timers/promises';
import { iPhoneSafari, type SharedCode } from '../support/share.ts';
import { repeat } from './repeat.ts';
import type { RequestLog } from './request-log.ts';

/** Below the 100 requests an hour of the plan pro. */
const requestsPerKey = 90;
const pauseMs = 60;

export interface ApiLoad {
  /** Turns that were completed. */
  turns(): number;
  /** What the API must know about each code that was kept: its name, and one scan. */
  kept: Map<string, string>;
  stop(): Promise<void>;
}

/** An API client that creates, reads, changes, lists, scans and deletes codes, and reads the analytics of a busy one. */
export function startApiLoad(
  url: string,
  makeKey: () => Promise<string>,
  busy: SharedCode,
  log: RequestLog,
): ApiLoad {
  const kept = new Map<string, string>();
  let turns = 0;
  let sent = 0;
  let key = '';
  let total = 0;

  async function call(method: string, path: string, expected: number, body?: object): Promise<unknown> {
    if (sent % requestsPerKey === 0) key = await makeKey();
    sent += 1;
    await sleep(pauseMs);
    const init = {
      method,
      headers: { Authorization: `Bearer ${key}`, ...(body && { 'Content-Type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
    };
    const response = await log.send(`${method} ${path}`, () => fetch(`${url}/api/v1${path}`, init), expected);
    if (!response) throw new Error('reported already');
    return response.status === 204 ? undefined : response.json();
  }

  async function turn(): Promise<void> {
    const name = `Code ${turns}`;
    const created = (await call('POST', '/qrcodes', 201, {
      name,
      content: `https://example.com/${turns}`,
    })) as SharedCode;
    const path = `/qrcodes/${created.id}`;
    const changed = (await call('PATCH', path, 200, { name: `${name}, changed` })) as { name: string };
    const read = (await call('GET', path, 200)) as { name: string; content: string };
    if (read.name !== `${name}, changed` || read.name !== changed.name || read.content !== created.content)
      log.fault(`GET ${path} reads ${JSON.stringify(read)}`);
    const list = (await call('GET', '/qrcodes?limit=5', 200)) as { data: { id: string }[] };
    if (!list.data.some(({ id }) => id === created.id)) log.fault(`GET /qrcodes lacks ${created.id}`);

    await readBusyCode();
    if (turns % 3 === 2) {
      await call('DELETE', path, 204);
      await call('GET', path, 404);
    } else {
      const headers = { 'User-Agent': iPhoneSafari };
      const share = () => fetch(`${url}/r/${created.shareToken}`, { redirect: 'manual', headers });
      if (await log.send('the first scan of a code', share, 302)) kept.set(created.id, read.name);
    }
    turns += 1;
  }

  /** Its totals must never fall, whichever release reads them. */
  async function readBusyCode(): Promise<void> {
    const path = `/qrcodes/${busy.id}`;
    const { totalScans } = (await call('GET', `${path}/analytics?days=7`, 200)) as { totalScans: number };
    if (totalScans < total) log.fault(`the total of the analytics fell from ${total} to ${totalScans}`);
    total = totalScans;
    await call('GET', `${path}/scans?limit=10`, 200);
  }

  const repeated = repeat(turn, pauseMs, (error) => {
    if ((error as Error).message !== 'reported already') log.fault(String(error));
  });
  return { turns: () => turns, kept, stop: repeated.stop };
}
