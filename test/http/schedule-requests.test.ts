import { channel } from 'node:diagnostics_channel';
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, createServer as createNetServer } from 'node:net';
import { expect } from 'chai';
import { scheduleRequests } from '../../src/http/schedule-requests.ts';
import { eventually } from '../support/eventually.ts';

const oneClient = () => 'a';

describe('Requests scheduled fairly', () => {
  async function serve(handle: RequestListener): Promise<{ url: string; stop(): void }> {
    const server = createServer(handle);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return {
      url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      stop() {
        server.closeAllConnections();
        server.close();
      },
    };
  }

  it('are all handled, one per turn of the event loop, in order of arrival', async () => {
    let turn = 0;
    let underWay = true;
    const count = () => {
      turn += 1;
      if (underWay) setImmediate(count);
    };
    count();
    const turns: number[] = [];
    const listener = scheduleRequests((_req, res) => {
      turns.push(turn);
      res.end();
    }, oneClient);
    const { url, stop } = await serve(listener);
    const answers = await Promise.all(Array.from({ length: 50 }, () => fetch(url)));
    underWay = false;
    stop();
    expect(answers.map(({ status }) => status)).to.deep.equal(Array(50).fill(200));
    expect(turns).to.have.length(50);
    expect(new Set(turns).size).to.equal(50);
  });

  it('get a 503 with Retry-After when a thousand are waiting', async () => {
    const listener = scheduleRequests((_req, res) => void res.end(), oneClient);
    const answers: [number, string | number | undefined][] = [];
    // All in one turn, as if their sockets were read together.
    const { url, stop } = await serve((req, res) => {
      const fake = () => ({ req, res: Object.assign(Object.create(res) as typeof res, { destroyed: true }) });
      for (let number = 0; number < 1_000; number += 1) {
        const { req: one, res: other } = fake();
        listener(one, other);
      }
      listener(req, res);
    });
    const answer = await fetch(url);
    answers.push([answer.status, answer.headers.get('retry-after') ?? undefined]);
    expect(answers).to.deep.equal([[503, '5']]);
    expect(await answer.json()).to.include({ error: 'internal_error' });
    stop();
  });

  it('let up to 32 connections be accepted first, of which a turn of the event loop accepts one', async () => {
    let accepted = 0;
    const acceptedBefore: number[] = [];
    const listener = scheduleRequests(() => acceptedBefore.push(accepted), oneClient);
    const server = createNetServer(() => (accepted += 1));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const clients = Array.from({ length: 80 }, () => connect(port, '127.0.0.1'));
    // As if another connection had been accepted in the turn before.
    channel('net.server.socket').publish({});
    for (let number = 0; number < 2; number += 1)
      listener({} as IncomingMessage, { destroyed: false } as ServerResponse);
    await eventually(async () => expect([acceptedBefore.length, accepted]).to.deep.equal([2, 80]));
    for (const client of clients) client.destroy();
    server.close();
    expect(acceptedBefore[0]).to.be.within(25, 40);
    expect(acceptedBefore[1]).to.be.within(55, 75);
  });

  describe('from a client that sends thousands', () => {
    /** Sends `flood` requests from one client, then one from another, all in one turn. */
    async function ask(flood: number): Promise<{ before: number; status: number; refused: number }> {
      let before = 0;
      let refused = 0;
      const isOfFlood = new WeakSet<object>();
      const listener = scheduleRequests(
        (req, res) => {
          if (isOfFlood.has(req)) before += 1;
          else res.end(String(before));
        },
        (req) => (isOfFlood.has(req) ? 'flood' : 'other'),
      );
      const { url, stop } = await serve((req, res) => {
        for (let number = 0; number < flood; number += 1) {
          const one = Object.create(req) as typeof req;
          isOfFlood.add(one);
          const end = () => (refused += 1);
          listener(
            one,
            Object.assign(Object.create(res) as typeof res, { setHeader() {}, writeHead() {}, end }),
          );
        }
        listener(req, res);
      });
      const answer = await fetch(url);
      const answered = { before: Number(await answer.text()), status: answer.status, refused };
      stop();
      return answered;
    }

    it('do not delay the request of another client', async () => {
      const { before, status } = await ask(900);
      expect(status).to.equal(200);
      expect(before).to.be.at.most(2);
    });

    it('are refused when too many wait, but not the request of another client', async () => {
      const { before, status, refused } = await ask(1_500);
      expect(status).to.equal(200);
      expect(before).to.be.at.most(2);
      expect(refused).to.equal(501);
    });
  });
});
