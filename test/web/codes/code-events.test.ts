import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { expect } from 'chai';
import Koa from 'koa';
import { endSession, findSessionUser, startSession } from '../../../src/accounts/sessions.ts';
import { recordScans } from '../../../src/scans/record-scans.ts';
import { openDatabase } from '../../../src/store/database.ts';
import { createCodeEvents } from '../../../src/web/codes/detail/code-events.ts';
import { createLiveScans } from '../../../src/web/codes/detail/live-scans.ts';
import { apiClient } from '../../support/api-client.ts';
import { eventually } from '../../support/eventually.ts';
import { scanRow } from '../../support/scan-rows.ts';
import type { TestService } from '../../support/service.ts';
import { createCode } from '../../support/share.ts';
import { sharedService } from '../../support/shared-service.ts';

const mostStreams = 500;
const mostStreamsAnAddress = 100;
const mostStreamsAUser = 20;
const minuteMs = 60_000;
/** How a stream begins: when to come back, and how things are. */
const opening = /^retry: 1000\n\ndata: \{"ever":1,.*\}\n\n/;

describe('Streams about a code', () => {
  let service: TestService;
  let code: { id: string; userId: string };
  let server: Server;
  let closing: AbortController;
  let session: string;
  let watchers: number;

  before(async () => {
    service = await sharedService();
    const { id } = await createCode(apiClient(service.url, await service.makeKey()));
    await recordScans(service.db, [scanRow(id, new Date().toISOString())]);
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

  const hasSession = async (db = service.db) =>
    (await findSessionUser(db, session, new Date())) !== undefined;

  /** With the streams of the service, but of a rhythm that a test can wait for. Their user is the code's, or as asked. */
  async function serve(
    rhythm: { lifetimeMs: number; heartbeatMs: number },
    mayGoOn: () => Promise<boolean> = hasSession,
    lookUp: () => Promise<void> = async () => undefined,
  ): Promise<string> {
    const live = createLiveScans(service.db, () => new Date());
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
    const events = createCodeEvents(counted, closing.signal, rhythm);
    const app = new Koa();
    app.use(async (ctx) => {
      await lookUp();
      const { userId = code.userId, address = '127.0.0.1' } = ctx.query as Record<string, string>;
      events.stream(ctx, { id: code.id, userId, address }, mayGoOn);
    });
    server = createServer((req, res) => void app.callback()(req, res));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  }

  /** What has come so far, and the promise of its end. */
  async function read(url: string): Promise<{ text(): string; end: Promise<void> }> {
    const { body } = await fetch(url);
    let text = '';
    async function gather(): Promise<void> {
      for await (const chunk of body ?? []) text += Buffer.from(chunk).toString();
    }
    return { text: () => text, end: gather() };
  }

  it('end with the session they were opened in', async () => {
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

  it('go on while it cannot be found out whether the session has ended', async () => {
    const away = openDatabase(service.databaseUrl, { poolMax: 1, applicationName: 'test' });
    await away.destroy();
    let failures = 0;
    const ask = () =>
      hasSession(away).catch((error: unknown) => {
        failures += 1;
        throw error;
      });
    const stream = await read(await serve({ lifetimeMs: minuteMs, heartbeatMs: 10 }, ask));
    await eventually(() => expect(failures).to.be.above(2));
    await eventually(() => expect(stream.text()).to.match(opening));
    expect(watchers).to.equal(1);
    // Until the process is about to end.
    closing.abort();
    await stream.end;
    expect(stream.text().replace(opening, '')).to.equal('');
  });

  it('end after a while, for the browser to ask again', async () => {
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

  it('are at most twenty a user: a further one takes the place of the oldest, which comes back later', async () => {
    const url = await serve(long);
    const [oldest, ...others] = await openMany(url, mostStreamsAUser);
    expect(watchers).to.equal(mostStreamsAUser);
    const [newest] = await openMany(url, 1);
    await eventually(() => expect(oldest?.text()).to.match(/retry: 30000\n\n$/));
    await eventually(() => expect(newest?.text()).to.match(opening));
    for (const { text } of others) expect(text()).to.not.contain('30000');
    await openMany(`${url}?userId=another`, 1);
    await eventually(() => expect(watchers).to.equal(mostStreamsAUser + 1));
  });

  it('are at most a hundred a client address: whoever has fewest there gets in, and nobody else is cut', async () => {
    const url = await serve(long);
    const users = ['a', 'b', 'c', 'd', 'e'];
    const all = await Promise.all(
      users.map((user) => openMany(`${url}?userId=${user}&address=203.0.113.1`, 20)),
    );
    expect(watchers).to.equal(mostStreamsAnAddress);
    const [newcomer] = await openMany(`${url}?userId=newcomer&address=203.0.113.1`, 1);
    await eventually(() => expect(newcomer?.text()).to.match(opening));
    await eventually(() => expect(watchers).to.equal(mostStreamsAnAddress));
    const ended = all.flat().filter(({ text }) => text().endsWith('retry: 30000\n\n'));
    expect(ended).to.have.length(1);
    await openMany(`${url}?userId=elsewhere&address=203.0.113.2`, 1);
    expect(watchers).to.equal(mostStreamsAnAddress + 1);
  });

  it('leave a place for a newcomer when a few addresses have taken all', async () => {
    const url = await serve(long);
    for (let number = 0; number < mostStreams; number += 20) {
      const address = `203.0.113.${Math.floor(number / mostStreamsAnAddress)}`;
      await openMany(`${url}?userId=${number}&address=${address}`, 20);
    }
    expect(watchers).to.equal(mostStreams);
    const [newcomer] = await openMany(`${url}?userId=newcomer&address=198.51.100.1`, 1);
    await eventually(() => expect(newcomer?.text()).to.match(opening));
    await eventually(() => expect(watchers).to.equal(mostStreams));
  });

  it('leave nothing behind of clients that are gone before it is known whose code it is', async () => {
    let arrived = 0;
    let lookedUp = () => undefined as void;
    const found = new Promise<void>((resolve) => (lookedUp = resolve));
    const url = await serve(long, hasSession, async () => {
      arrived += 1;
      await found;
    });
    const { hostname, port } = new URL(url);
    const sockets = Array.from({ length: mostStreamsAUser }, () => {
      const socket = connect(Number(port), hostname);
      socket.write('GET / HTTP/1.1\r\nHost: q\r\n\r\n');
      return socket;
    });
    await eventually(() => expect(arrived).to.equal(mostStreamsAUser));
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
