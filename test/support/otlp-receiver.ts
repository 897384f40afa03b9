import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { decodeSpans, type ReceivedSpan } from './otlp-spans.ts';

interface OtlpReceiver {
  /** For OTEL_EXPORTER_OTLP_ENDPOINT. */
  url: string;
  spans: ReceivedSpan[];
  requests: { path: string | undefined; headers: IncomingHttpHeaders; body: Buffer }[];
  stop(): Promise<void>;
}

/** A real receiver of traces: OTLP over HTTP, as a collector speaks it. `respond` may misbehave. */
export async function startOtlpReceiver(
  respond: (res: ServerResponse) => void = (res) => res.writeHead(200).end(),
): Promise<OtlpReceiver> {
  const spans: ReceivedSpan[] = [];
  const requests: OtlpReceiver['requests'] = [];
  const server = createServer((req, res) => {
    const chunks: Buffer[] = [];
    req.on('data', (chunk: Buffer) => chunks.push(chunk));
    req.on('end', () => {
      const body = Buffer.concat(chunks);
      requests.push({ path: req.url, headers: req.headers, body });
      spans.push(...decodeSpans(body));
      respond(res);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans,
    requests,
    async stop() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
