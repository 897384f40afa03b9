import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { clientAddress } from '../../src/http/client-address.ts';
import { readScanHeaders } from '../../src/redirect/scan-policy.ts';

/** As the scan lane calls it. */
let hops = 0;
function addressOf(req: IncomingMessage): string {
  return clientAddress(req.socket.remoteAddress, readScanHeaders(req.rawHeaders).forwardedFor, hops);
}

describe('clientAddress (decisions: The share address)', () => {
  let server: Server;
  before(async () => {
    server = createServer((req, res) => res.end(addressOf(req))).listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  after(() => server.close());

  /** The client address for these X-Forwarded-For headers, sent from 127.0.0.1. */
  function seen(trustedHops: number, forwarded: string[], to = server): Promise<string> {
    hops = trustedHops;
    const { port, address } = to.address() as AddressInfo;
    return new Promise((resolve, reject) => {
      const headers = forwarded.length > 0 ? { 'X-Forwarded-For': forwarded } : {};
      const req = request(
        { host: address === '::' ? '127.0.0.1' : address, port, headers, agent: false },
        (res) => {
          let text = '';
          res.setEncoding('utf8').on('data', (part: string) => {
            text += part;
          });
          res.on('end', () => resolve(text));
        },
      );
      req.once('error', reject);
      req.end();
    });
  }

  const cases: Record<string, [hops: number, forwarded: string[], expected: string][]> = {
    "is the socket's without trusted hops, whatever X-Forwarded-For says": [
      [0, [], '127.0.0.1'],
      [0, ['192.0.2.1'], '127.0.0.1'],
      [0, ['192.0.2.1, 192.0.2.2'], '127.0.0.1'],
    ],
    'is the last entry with one trusted hop': [
      [1, ['192.0.2.1'], '192.0.2.1'],
      [1, ['192.0.2.1,192.0.2.2'], '192.0.2.2'],
      [1, ['192.0.2.1 ,  192.0.2.2 '], '192.0.2.2'],
    ],
    'is the last but one with two trusted hops': [
      [2, ['192.0.2.1, 192.0.2.2'], '192.0.2.1'],
      [2, ['192.0.2.1, 192.0.2.2, 192.0.2.3'], '192.0.2.2'],
    ],
    'ignores what a client wrote to the left of our own proxies': [
      [1, ['203.0.113.66, 192.0.2.1'], '192.0.2.1'],
      [2, ['203.0.113.66, 203.0.113.67, 192.0.2.1, 192.0.2.2'], '192.0.2.1'],
      [1, ['127.0.0.1, ::1, garbage, 192.0.2.1'], '192.0.2.1'],
    ],
    'is the first entry if there are fewer than trusted hops': [
      [2, ['192.0.2.1'], '192.0.2.1'],
      [16, ['192.0.2.1, 192.0.2.2'], '192.0.2.1'],
    ],
    "is the socket's if a trusted proxy wrote nothing": [
      [1, [], '127.0.0.1'],
      [2, [], '127.0.0.1'],
      [1, [''], '127.0.0.1'],
    ],
    "is the socket's if the relevant entry is not an address": [
      [1, ['unknown'], '127.0.0.1'],
      [1, ['192.0.2.1, _hidden'], '127.0.0.1'],
      [1, ['192.0.2.1,'], '127.0.0.1'],
      [1, ['192.0.2.256'], '127.0.0.1'],
      [1, ['192.0.2'], '127.0.0.1'],
      [1, ["192.0.2.1'; DROP TABLE users"], '127.0.0.1'],
      [1, ['[2001:db8::1'], '127.0.0.1'],
      [1, ['[]'], '127.0.0.1'],
      [2, ['garbage, 192.0.2.1'], '127.0.0.1'],
    ],
    'joins several header lines in order': [
      [1, ['192.0.2.1', '192.0.2.2'], '192.0.2.2'],
      [2, ['192.0.2.1', '192.0.2.2'], '192.0.2.1'],
    ],
    'is without port and brackets': [
      [1, ['192.0.2.1:5678'], '192.0.2.1'],
      [1, ['[2001:db8::1]:5678'], '2001:db8::1'],
      [1, ['[2001:db8::1]'], '2001:db8::1'],
      [1, ['2001:db8::1'], '2001:db8::1'],
    ],
    'is IPv4 for an IPv4-mapped IPv6 address': [
      [1, ['::ffff:192.0.2.1'], '192.0.2.1'],
      [1, ['::FFFF:192.0.2.1'], '192.0.2.1'],
      [1, ['[::ffff:192.0.2.1]:5678'], '192.0.2.1'],
      [1, ['::ffff:c000:201'], '192.0.2.1'],
      [1, ['0:0:0:0:0:ffff:192.0.2.1'], '192.0.2.1'],
      [1, ['2001:db8::ffff:c000:201'], '2001:db8::ffff:c000:201'],
    ],
  };

  for (const [title, examples] of Object.entries(cases)) {
    it(`${title} (decisions: The share address)`, async () => {
      for (const [trustedHops, forwarded, expected] of examples) {
        const address = await seen(trustedHops, forwarded);
        expect(address, `${trustedHops} hops, ${JSON.stringify(forwarded)}`).to.equal(expected);
      }
    });
  }

  it("is IPv4 on a dual-stack socket, like the service's own (decisions: The share address)", async () => {
    const both = createServer((req, res) => res.end(`${req.socket.remoteAddress} ${addressOf(req)}`));
    both.listen(0, '::');
    await once(both, 'listening');
    expect(await seen(0, [], both)).to.equal('::ffff:127.0.0.1 127.0.0.1');
    both.close();
  });
});
