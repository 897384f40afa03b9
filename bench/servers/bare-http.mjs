// The baseline for the lane: responds with 302 and records nothing.
import { createServer } from 'node:http';

createServer((_req, res) => {
  res.writeHead(302, {
    Location: 'https://example.com/target',
    'Cache-Control': 'no-store',
    'Content-Length': 0,
  });
  res.end();
}).listen(Number(process.env.PORT), '127.0.0.1', () => process.send?.('ready'));
