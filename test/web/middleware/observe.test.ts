import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import Koa from 'koa';
import { createLog } from '../../../src/telemetry/log.ts';
import { createWebMetrics } from '../../../src/telemetry/web-metrics.ts';
import { errors } from '../../../src/web/middleware/errors.ts';
import { observe } from '../../../src/web/middleware/observe.ts';
import { jsonLines } from '../../support/json-lines.ts';

const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
const sent = {
  'X-Request-Id': 'an-id-that-a-proxy-gave-1',
  traceparent: `00-${traceId}-00f067aa0ba902b7-01`,
};

describe('The id of a request', () => {
  const servers: Server[] = [];
  after(() => {
    for (const server of servers) server.close();
  });

  /** A request that fails, its response, and the log. */
  async function request(trustProxyHops: number, headers: Record<string, string>) {
    let output = '';
    const log = createLog('test', 'info', { write: (line) => void (output += line) });
    const app = new Koa();
    app.use(observe({ log, metrics: createWebMetrics(), tracing: undefined, trustProxyHops }));
    app.use(errors(log, () => undefined));
    app.use(() => {
      throw new Error('made to fail');
    });
    const handle = app.callback();
    const server = createServer((req, res) => void handle(req, res)).listen(0, '127.0.0.1');
    servers.push(server);
    await once(server, 'listening');
    const response = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/api/`, {
      headers,
    });
    const { requestId } = (await response.json()) as { requestId: string };
    return { requestId, header: response.headers.get('x-request-id'), lines: jsonLines(output) };
  }

  it('is the one that a trusted proxy sent, in header, body and log, with the id of its trace', async () => {
    const { requestId, header, lines } = await request(1, sent);
    expect([requestId, header]).to.deep.equal([sent['X-Request-Id'], sent['X-Request-Id']]);
    expect(lines).to.have.length(2);
    for (const line of lines) expect(line).to.include({ requestId, traceId });
  });

  it('is our own if no proxy is trusted, and the trace is ignored', async () => {
    const { requestId, header, lines } = await request(0, sent);
    expect(requestId)
      .to.match(/^[0-9a-f-]{36}$/)
      .and.to.equal(header);
    expect(lines).to.have.length(2);
    for (const line of lines) {
      expect(line).to.include({ requestId });
      expect(line).to.not.have.property('traceId');
    }
  });

  it('is our own if the one that a trusted proxy sent could not be logged', async () => {
    const { requestId, lines } = await request(1, {
      'X-Request-Id': 'someone.with.a.name@example.com',
      traceparent: 'nonsense',
    });
    expect(requestId).to.match(/^[0-9a-f-]{36}$/);
    expect(JSON.stringify(lines)).to.not.include('someone').and.not.include('nonsense');
  });
});
