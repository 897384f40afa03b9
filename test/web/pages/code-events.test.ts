import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import Koa from 'koa';
import { endSession, findSessionUser, startSession } from '../../../src/accounts/sessions.ts';
import { recordScans } from '../../../src/scans/record-scans.ts';
import { openDatabase } from '../../../src/store/database.ts';
import { createCodeEvents } from '../../../src/web/pages/code-events.ts';
import { createLiveScans } from '../../../src/web/pages/live-scans.ts';
import { apiClient } from '../../support/api-client.ts';
import { eventually } from '../../support/eventually.ts';
import { scanRow } from '../../support/scan-rows.ts';
import type { TestService } from '../../support/service.ts';
import { createCode } from '../../support/share.ts';
import { sharedService } from '../../support/shared-service.ts';

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
    app.use((ctx) => events.stream(ctx, { ...code, ...ctx.query }, mayGoOn));
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

  it('are at most twenty a user; the next one is told to come back later, and may when another has left', async () => {
    const url = await serve({ lifetimeMs: minuteMs, heartbeatMs: minuteMs });
    const leaving = new AbortController();
    const open = Array.from({ length: mostStreamsAUser }, () => fetch(url, { signal: leaving.signal }));
    await Promise.all(open);
    expect(watchers).to.equal(mostStreamsAUser);
    expect(await (await fetch(url)).text()).to.equal('retry: 30000\n\n');
    await fetch(`${url}?userId=another`);
    expect(watchers).to.equal(mostStreamsAUser + 1);
    leaving.abort();
    await eventually(() => expect(watchers).to.equal(1));
    const stream = await read(url);
    await eventually(() => expect(stream.text()).to.match(opening));
    stream.end.catch(() => undefined); // cut at the end of the test
  });
});
