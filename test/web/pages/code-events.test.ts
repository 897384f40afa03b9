import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import Koa from 'koa';
import { createCodeEvents } from '../../../src/web/pages/code-events.ts';
import { eventually } from '../../support/eventually.ts';

const mostStreamsAUser = 20;

describe('Streams about a code', () => {
  let server: Server;
  let mayGoOn: () => Promise<boolean>;
  let watchers: number;

  async function serve(rhythm: { lifetimeMs: number; heartbeatMs: number }): Promise<string> {
    const live = {
      watch: () => {
        watchers += 1;
        return () => (watchers -= 1);
      },
    };
    const events = createCodeEvents(live, new AbortController().signal, rhythm);
    const app = new Koa();
    app.use((ctx) => events.stream(ctx, { id: 'code', userId: String(ctx.query['user']) }, () => mayGoOn()));
    server = createServer((req, res) => void app.callback()(req, res));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  }
  beforeEach(() => {
    mayGoOn = async () => true;
    watchers = 0;
  });
  afterEach(() => {
    server.closeAllConnections();
    server.close();
  });

  it('end with the session they were opened in', async () => {
    const url = await serve({ lifetimeMs: 60_000, heartbeatMs: 20 });
    const answer = await fetch(`${url}?user=1`);
    const text = answer.text();
    await sleep(60);
    mayGoOn = async () => false;
    expect(await text).to.match(/^retry: 1000\n\n(?::\n\n)+$/);
    await eventually(() => expect(watchers).to.equal(0));
  });

  it('go on while it cannot be found out whether the session has ended', async () => {
    const url = await serve({ lifetimeMs: 200, heartbeatMs: 10 });
    mayGoOn = () => Promise.reject(new Error('no database'));
    const startedAt = performance.now();
    expect(await (await fetch(`${url}?user=1`)).text()).to.equal('retry: 1000\n\n');
    expect(performance.now() - startedAt).to.be.above(150);
  });

  it('end after a while, for the browser to ask again', async () => {
    const url = await serve({ lifetimeMs: 50, heartbeatMs: 10_000 });
    expect(await (await fetch(`${url}?user=1`)).text()).to.equal('retry: 1000\n\n');
  });

  it('are at most twenty a user; the next one is told to come back later, and may when another has left', async () => {
    const url = await serve({ lifetimeMs: 60_000, heartbeatMs: 10_000 });
    const leaving = new AbortController();
    const open = Array.from({ length: mostStreamsAUser }, () =>
      fetch(`${url}?user=1`, { signal: leaving.signal }),
    );
    await Promise.all(open);
    expect(watchers).to.equal(mostStreamsAUser);
    expect(await (await fetch(`${url}?user=1`)).text()).to.equal('retry: 30000\n\n');
    const other = new AbortController();
    await fetch(`${url}?user=2`, { signal: other.signal });
    expect(watchers).to.equal(mostStreamsAUser + 1);
    leaving.abort();
    other.abort();
    await eventually(() => expect(watchers).to.equal(0));
  });
});
