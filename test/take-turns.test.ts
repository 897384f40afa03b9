import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { takeTurns } from '../src/take-turns.ts';

describe('Requests that take turns', () => {
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

  it('are all answered, one in a turn of the event loop, in the order they came', async () => {
    let turn = 0;
    let underWay = true;
    const count = () => {
      turn += 1;
      if (underWay) setImmediate(count);
    };
    count();
    const turns: number[] = [];
    const listener = takeTurns((_req, res) => {
      turns.push(turn);
      res.end();
    });
    const { url, stop } = await serve(listener);
    const answers = await Promise.all(Array.from({ length: 50 }, () => fetch(url)));
    underWay = false;
    stop();
    expect(answers.map(({ status }) => status)).to.deep.equal(Array(50).fill(200));
    expect(turns).to.have.length(50);
    expect(new Set(turns).size).to.equal(50);
  });

  it('are told to come back where a thousand wait already', async () => {
    const listener = takeTurns((_req, res) => void res.end());
    const answers: [number, string | number | undefined][] = [];
    // All in one turn, as from sockets that were read together.
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
});
