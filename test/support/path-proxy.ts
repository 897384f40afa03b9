import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface PathProxy {
  /** `http://127.0.0.1:<port>` */
  url: string;
  close(): Promise<void>;
}

/** Passes on what is below a path, as a proxy does that has other sites beside it; what is not, it refuses. */
export async function openPathProxy(
  target: string,
  path: string,
  { strips }: { strips: boolean },
): Promise<PathProxy> {
  const server = createServer((req, res) => {
    const url = req.url ?? '';
    if (url !== path && !url.startsWith(`${path}/`)) {
      res.writeHead(418).end('This is another site.');
      return;
    }
    const passed = strips ? url.slice(path.length) || '/' : url;
    const outgoing = request(`${target}${passed}`, { method: req.method, headers: req.headers }, (answer) => {
      res.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(res);
    });
    outgoing.on('error', () => res.destroy());
    res.on('close', () => outgoing.destroy());
    req.pipe(outgoing);
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise((closed) => {
        server.close(() => closed());
        server.closeAllConnections();
      }),
  };
}
