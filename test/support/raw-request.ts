import { once } from 'node:events';
import { connect } from 'node:net';

export interface RawRequest {
  method?: string | undefined;
  /** As it stands in the first line: nothing is normalised. */
  path: string;
  version?: string | undefined;
  /** Sent as they are, in this order. Host is added unless it is among them, or `host` is false. */
  headers?: [name: string, value: string][] | undefined;
  host?: boolean | undefined;
  /** Its length is told unless the headers tell something of it. */
  body?: string | Uint8Array | undefined;
}

export interface RawAnswer {
  status: number;
  headers: Headers;
  text: string;
}

/** One request on a connection of its own, byte for byte as told: `fetch` would mend or refuse what is hostile. */
export async function sendRaw(serviceUrl: string, request: RawRequest): Promise<RawAnswer> {
  const socket = connect(Number(new URL(serviceUrl).port), '127.0.0.1');
  const parts: Buffer[] = [];
  socket.on('data', (part: Buffer) => parts.push(part));
  // A server may answer and close before all was sent.
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  socket.write(headOf(request), 'latin1');
  if (request.body !== undefined) socket.write(request.body);
  await new Promise((resolve) => socket.once('close', resolve));
  return readAnswer(Buffer.concat(parts), request.method === 'HEAD');
}

function headOf({
  method = 'GET',
  path,
  version = '1.1',
  headers = [],
  host = true,
  body,
}: RawRequest): string {
  const named = new Set(headers.map(([name]) => name.toLowerCase()));
  const lines = [`${method} ${path} HTTP/${version}`];
  if (host && !named.has('host')) lines.push('Host: qr.test');
  for (const [name, value] of headers) lines.push(`${name}: ${value}`);
  if (body !== undefined && !named.has('content-length') && !named.has('transfer-encoding'))
    lines.push(`Content-Length: ${Buffer.byteLength(body)}`);
  return `${[...lines, 'Connection: close'].join('\r\n')}\r\n\r\n`;
}

function readAnswer(bytes: Buffer, isHead: boolean): RawAnswer {
  const end = bytes.indexOf('\r\n\r\n');
  const [first = '', ...lines] = bytes.subarray(0, end).toString('latin1').split('\r\n');
  const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(first)?.[1]);
  if (end < 0 || !status)
    throw new Error(`No HTTP answer: ${JSON.stringify(bytes.toString().slice(0, 200))}`);
  const rest = bytes.subarray(end + 4);
  // "Go on": the answer itself comes after it.
  if (status < 200) return readAnswer(rest, isHead);
  const headers = new Headers();
  for (const line of lines) {
    const colon = line.indexOf(':');
    headers.append(line.slice(0, colon), line.slice(colon + 1).trim());
  }
  const isChunked = headers.get('transfer-encoding') === 'chunked';
  const body = isHead ? Buffer.alloc(0) : isChunked ? joinChunks(rest) : rest;
  return { status, headers, text: body.toString() };
}

function joinChunks(bytes: Buffer): Buffer {
  const chunks: Buffer[] = [];
  for (let at = 0; at < bytes.length; ) {
    const lineEnd = bytes.indexOf('\r\n', at);
    const size = Number.parseInt(bytes.subarray(at, lineEnd).toString(), 16);
    if (!size) break;
    chunks.push(bytes.subarray(lineEnd + 2, lineEnd + 2 + size));
    at = lineEnd + 2 + size + 2;
  }
  return Buffer.concat(chunks);
}
