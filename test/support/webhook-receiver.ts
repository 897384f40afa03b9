import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { verifyWebhook } from '../../clients/typescript/src/webhooks.ts';

// oxlint-disable-next-line typescript/no-explicit-any -- any event
type Data = any;

export interface Received {
  id: string;
  type: string;
  timestamp: string;
  data: Data;
  path: string;
  headers: IncomingHttpHeaders;
  body: string;
  atMs: number;
}

export interface Receiver {
  url: string;
  /** Every request that was verified, in the order of arrival. */
  received: Received[];
  /** Requests whose signature was wrong. */
  unverified: string[];
  /** The secret of the endpoint at this path. Requests to others are not verified. */
  secrets: Map<string, string>;
  /** Answers a request, instead of with 200. Nothing is answered where it returns `hang`. */
  answer: (request: Received, response: ServerResponse) => void;
  of(type: string): Received[];
  stop(): Promise<void>;
}

/** A real HTTP server that verifies each call with the function that clients use. */
export async function startReceiver(): Promise<Receiver> {
  const receiver: Receiver = {
    url: '',
    received: [],
    unverified: [],
    secrets: new Map(),
    answer: (_request, response) => void response.end('thank you'),
    of: (type) => receiver.received.filter((request) => request.type === type),
    async stop() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
  const server = createServer((req, res) => {
    const chunks: Buffer[] = [];
    req.on('data', (chunk: Buffer) => chunks.push(chunk));
    req.on('end', () => {
      void take(req.url ?? '', req.headers, Buffer.concat(chunks).toString()).then((request) =>
        request ? receiver.answer(request, res) : res.writeHead(400).end(),
      );
    });
  });
  async function take(
    path: string,
    headers: IncomingHttpHeaders,
    body: string,
  ): Promise<Received | undefined> {
    const secret = receiver.secrets.get(path);
    if (secret !== undefined) {
      const isValid = await verifyWebhook(body, headers, secret).then(
        () => true,
        () => false,
      );
      if (!isValid) {
        receiver.unverified.push(body);
        return undefined;
      }
    }
    const request = {
      ...(JSON.parse(body) as { type: string; timestamp: string; data: Data }),
      id: String(headers['webhook-id']),
      path,
      headers,
      body,
      atMs: Date.now(),
    };
    receiver.received.push(request);
    return request;
  }
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  receiver.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return receiver;
}
