import { createSocket } from 'node:dgram';
import { once } from 'node:events';

export interface DnsServer {
  port: number;
  /** Number of questions for A records so far. */
  asked(): number;
  stop(): void;
}

/**
 * A real DNS server for A records: `answer` gets the name and how often it was asked for, and says the address. It does not
 * answer at all where that is undefined.
 */
export async function startDnsServer(
  answer: (name: string, times: number) => string | undefined,
): Promise<DnsServer> {
  const socket = createSocket('udp4');
  const times = new Map<string, number>();
  let asked = 0;
  socket.on('message', (query, from) => {
    const { name, end } = readName(query, 12);
    const isAddress = query.readUInt16BE(end) === 1;
    const header = Buffer.from([...query.subarray(0, 2), 0x81, 0x80, 0, 1, 0, isAddress ? 1 : 0, 0, 0, 0, 0]);
    const parts = [header, query.subarray(12, end + 4)];
    const count = (times.get(name) ?? 0) + 1;
    const address = answer(name, count);
    if (address === undefined) return;
    if (isAddress) {
      asked += 1;
      times.set(name, count);
      // A pointer to the name, type A, class IN, a time to live of 0, four bytes.
      const bytes = address.split('.').map(Number);
      parts.push(Buffer.from([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 0, 0, 4, ...bytes]));
    }
    socket.send(Buffer.concat(parts), from.port, from.address);
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  return { port: socket.address().port, asked: () => asked, stop: () => socket.close() };
}

function readName(query: Buffer, start: number): { name: string; end: number } {
  const labels: string[] = [];
  let at = start;
  for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length));
    at += length + 1;
  }
  return { name: labels.join('.'), end: at + 1 };
}
