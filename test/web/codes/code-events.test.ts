import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { expect } from 'chai';
import Koa from 'koa';
import { digestOf } from '../../../src/accounts/secrets.ts';
import { endSession, startSession } from '../../../src/accounts/sessions.ts';
import { Scan } from '../../../src/scans/scan.ts';
import { openDatabase } from '../../../src/store/database.ts';
import { readPrimary } from '../../../src/store/reads.ts';
import { createAccessWatch } from '../../../src/web/access-watch.ts';
import { createCodeEvents } from '../../../src/web/codes/detail/code-events.ts';
import { createLiveScans } from '../../../src/web/codes/detail/live-scans.tsx';
import { apiClient } from '../../support/api-client.ts';
import { eventually } from '../../support/eventually.ts';
import { scanRow } from '../../support/scan-rows.ts';
import type { TestService } from '../../support/service.ts';
import { ownWorkspaceId } from '../../../src/workspaces/workspace.ts';
import { createCode } from '../../support/share.ts';
import { sharedService } from '../../support/shared-service.ts';

const maxStreams = 500;
const maxStreamsPerAddress = 100;
const maxStreamsPerUser = 20;
const minuteMs = 60_000;
/** A stream begins with the reconnect delay and the current state. */
const opening = /^retry: 1000\n\n(?::\n\n)*data: \{"ever":1,.*\}\n\n/;

describe('Event streams of a code', () => {
  let service: TestService;
  let code: { id: string; userId: string };
  let server: Server;
  let closing: AbortController;
  let session: string;
  let watchers: number;

  before(async () => {
    service = await sharedService();
    const { id } = await createCode(apiClient(service.url, await service.makeKey()));
    await Scan.record(service.db, [scanRow(id, new Date().toISOString())]);
    const { user_id: userId } = (await service.db('qr_codes').where({ id }).first()) as { user_id: string };
    code = { id, userId };
  });
  beforeEach(async () => {
    session = await startSession(service.db, code.userId, new Date());
    closing = new AbortController();
    watchers = 0;
  });
  afterEach(async () => {
    server.closeAllConnections();
    server.close();
    await eventually(() => expect(watchers).to.equal(0));
  });

  /** As the page does it. */
  function watchAccess(db = service.db) {
    const access = createAccessWatch(db);
    const workspaceId = ownWorkspaceId({ id: code.userId });
    return (end: () => void) =>
      access.watch({ userId: code.userId, workspaceId, needed: 'viewer', session: digestOf(session) }, end);
  }

  /** The streams of the service with a short timing. Their user is the code's owner, or that of the query. */
  async function serve(
    timing: { lifetimeMs: number; heartbeatMs: number },
    watch = watchAccess(),
    lookUp: () => Promise<void> = async () => undefined,
  ): Promise<string> {
    const live = createLiveScans({ db: service.db, reads: readPrimary(service.db) }, () => new Date());
    const counted: typeof live = {
      watch(codeId, watcher) {
        watchers += 1;
        const unwatch = live.watch(codeId, watcher);
        return () => {
          watchers -= 1;
          unwatch();
        };
      },
    };
    const events = createCodeEvents(counted, closing.signal, timing);
    const app = new Koa();
    app.use(async (ctx) => {
      await lookUp();
      const { viewer = code.userId, address = '127.0.0.1' } = ctx.query as Record<string, string>;
      events.stream(ctx, { id: code.id, viewer, address }, watch);
    });
    server = createServer((req, res) => void app.callback()(req, res));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  }

  /** The text so far, and a promise of the end. */
  async function read(url: string): Promise<{ text(): string; end: Promise<void> }> {
    const { body } = await fetch(url);
    let text = '';
    async function gather(): Promise<void> {
      for await (const chunk of body ?? []) text += Buffer.from(chunk).toString();
    }
    return { text: () => text, end: gather() };
  }

  it('end with their session', async () => {
    const stream = await read(await serve({ lifetimeMs: minuteMs, heartbeatMs: 20 }));
    await eventually(() =>
      expect(stream.text())
        .to.match(opening)
        .and.match(/(:\n\n){2}$/),
    );
    await endSession(service.db, session);
    await stream.end;
    expect(stream.text().replace(opening, '')).to.match(/^(:\n\n)+$/);
  });

  it('stay open while the database cannot say whether the session has ended', async () => {
    const away = openDatabase(service.databaseUrl, { poolMax: 1, applicationName: 'test' });
    await away.destroy();
    let failures = 0;
    const counting = {
      raw: async (sql: string, values: []) => {
        failures += 1;
        return away.raw(sql, values);
      },
    } as unknown as typeof away;
    const stream = await read(await serve({ lifetimeMs: minuteMs, heartbeatMs: 10 }, watchAccess(counting)));
    await eventually(() => expect(failures).to.be.above(2));
    await eventually(() => expect(stream.text()).to.match(opening));
    expect(watchers).to.equal(1);
    // It ends when the process shuts down.
    closing.abort();
    await stream.end;
    expect(stream.text().replace(opening, '')).to.match(/^(:\n\n)+$/);
  });

  it('end after their lifetime, so that the browser reconnects', async () => {
    const stream = await read(await serve({ lifetimeMs: 50, heartbeatMs: minuteMs }));
    await stream.end;
    expect(stream.text()).to.match(/^retry: 1000\n\n/);
  });

  /** Streams that stay open until they are aborted. */
  async function openMany(url: string, count: number): Promise<{ text(): string }[]> {
    const streams: { text(): string }[] = [];
    for (let number = 0; number < count; number += 1) {
      const stream = await read(url);
      stream.end.catch(() => undefined); // cut at the end of the test
      streams.push(stream);
    }
    return streams;
  }

  const long = { lifetimeMs: minuteMs, heartbeatMs: minuteMs };

  it('are limited to 20 per user: another one evicts the oldest, which reconnects later', async () => {
    const url = await serve(long);
    const [oldest, ...others] = await openMany(url, maxStreamsPerUser);
    expect(watchers).to.equal(maxStreamsPerUser);
    const [newest] = await openMany(url, 1);
    await eventually(() => expect(oldest?.text()).to.match(/retry: 30000\n\n$/));
    await eventually(() => expect(newest?.text()).to.match(opening));
    for (const { text } of others) expect(text()).to.not.contain('30000');
    await openMany(`${url}?viewer=another`, 1);
    await eventually(() => expect(watchers).to.equal(maxStreamsPerUser + 1));
  });

  it('are limited to 100 per client address: a user with fewer evicts one stream of a user with more', async () => {
    const url = await serve(long);
    const users = ['a', 'b', 'c', 'd', 'e'];
    const all = await Promise.all(
      users.map((user) => openMany(`${url}?viewer=${user}&address=203.0.113.1`, 20)),
    );
    expect(watchers).to.equal(maxStreamsPerAddress);
    const [newcomer] = await openMany(`${url}?viewer=newcomer&address=203.0.113.1`, 1);
    await eventually(() => expect(newcomer?.text()).to.match(opening));
    await eventually(() => expect(watchers).to.equal(maxStreamsPerAddress));
    const ended = all.flat().filter(({ text }) => text().endsWith('retry: 30000\n\n'));
    expect(ended).to.have.length(1);
    await openMany(`${url}?viewer=elsewhere&address=203.0.113.2`, 1);
    expect(watchers).to.equal(maxStreamsPerAddress + 1);
  });

  it('free their slots when they are closed, so that any number can be opened one after the other', async () => {
    const url = await serve(long);
    for (let number = 0; number <= maxStreamsPerAddress; number += 1) {
      const leaving = new AbortController();
      const { body } = await fetch(`${url}?viewer=${number}&address=203.0.113.1`, { signal: leaving.signal });
      const { value } = (await body?.getReader().read()) ?? {};
      expect(Buffer.from(value ?? []).toString(), `stream ${number}`).to.match(/^retry: 1000\n/);
      leaving.abort();
      await eventually(() => expect(watchers).to.equal(0), 30_000, 1);
    }
  });

  it('admit a new client when a few addresses use all streams', async () => {
    const url = await serve(long);
    for (let number = 0; number < maxStreams; number += 20) {
      const address = `203.0.113.${Math.floor(number / maxStreamsPerAddress)}`;
      await openMany(`${url}?viewer=${number}&address=${address}`, 20);
    }
    expect(watchers).to.equal(maxStreams);
    const [newcomer] = await openMany(`${url}?viewer=newcomer&address=198.51.100.1`, 1);
    await eventually(() => expect(newcomer?.text()).to.match(opening));
    await eventually(() => expect(watchers).to.equal(maxStreams));
  });

  it('leave no watchers of clients that disconnect during the lookup of the code', async () => {
    let arrived = 0;
    let lookedUp = () => undefined as void;
    const found = new Promise<void>((resolve) => (lookedUp = resolve));
    const url = await serve(long, watchAccess(), async () => {
      arrived += 1;
      await found;
    });
    const { hostname, port } = new URL(url);
    const sockets = Array.from({ length: maxStreamsPerUser }, () => {
      const socket = connect(Number(port), hostname);
      socket.write('GET / HTTP/1.1\r\nHost: q\r\n\r\n');
      return socket;
    });
    await eventually(() => expect(arrived).to.equal(maxStreamsPerUser));
    for (const socket of sockets) socket.destroy();
    await eventually(async () => {
      const open = await new Promise((resolve) => server.getConnections((_error, count) => resolve(count)));
      expect(open).to.equal(0);
    });
    lookedUp();
    const [stream] = await openMany(url, 1);
    await eventually(() => expect(stream?.text()).to.match(opening));
    expect(watchers).to.equal(1);
  });
});
