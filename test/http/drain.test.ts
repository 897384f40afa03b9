import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect } from 'chai';
import { type HttpServer, openHttpServer } from '../../src/http/http-server.ts';
import { eventually } from '../support/eventually.ts';

/** Sends a request for each line that it reads, over one connection, and prints the status line or what went wrong. */
const client = `
  const { connect } = require('node:net');
  let socket;
  process.stdin.on('data', () => {
    if (!socket) {
      socket = connect(Number(process.argv[1]), '127.0.0.1');
      socket.on('data', (data) => console.log(String(data).split('\\r\\n')[0]));
      socket.on('error', ({ code }) => console.log(code));
      socket.on('end', () => console.log('closed'));
    }
    socket.write('POST / HTTP/1.1\\r\\nHost: qr.test\\r\\nContent-Length: 0\\r\\n\\r\\n', () =>
      require('node:fs').writeFileSync(process.argv[2], 'sent'),
    );
  });
`;

/** Sends a request over each of many connections when it is told to, and prints what became of them. */
const crowdClient = `
  const { connect } = require('node:net');
  console.log('ready');
  process.stdin.once('data', () => {
    process.stdin.destroy();
    let left = Number(process.argv[2]);
    for (let index = 0; index < Number(process.argv[2]); index += 1) {
      const socket = connect(Number(process.argv[1]), '127.0.0.1');
      socket.once('data', (data) => console.log(String(data).split('\\r\\n')[0]));
      socket.on('error', ({ code }) => console.log(code));
      socket.write('GET / HTTP/1.1\\r\\nHost: qr.test\\r\\n\\r\\n', () => {
        left -= 1;
        if (left === 0) require('node:fs').writeFileSync(process.argv[3], 'sent');
      });
    }
  });
`;

describe('A server that drains after its event loop was late', () => {
  let server: HttpServer;
  let child: ChildProcess;
  let lines: string[];
  const idleGraceMs = 100;

  const sentFile = join(tmpdir(), `qrelay-drain-${process.pid}`);

  beforeEach(async () => {
    rmSync(sentFile, { force: true });
    server = await openHttpServer((_, res) => res.end('ok'), { port: 0, host: '127.0.0.1', idleGraceMs });
    child = spawn(process.execPath, ['-e', client, String(server.port), sentFile], { stdio: 'pipe' });
    lines = [];
    if (child.stdout) createInterface(child.stdout).on('line', (line) => lines.push(line));
    await once(child, 'spawn');
  });
  afterEach(async () => {
    child.kill();
    await server.drain();
    rmSync(sentFile, { force: true });
  });

  /** The client sends a request that this process cannot notice: it is busy until then and longer. */
  function sendUnnoticed(): void {
    rmSync(sentFile, { force: true });
    child.stdin?.write('\n');
    blockUntilSent();
  }

  /** Sleeps with its event loop until the client says that it has sent everything, and longer than the grace. */
  function blockUntilSent(): void {
    const sleep = (ms: number) => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
    for (let tries = 0; tries < 400 && !existsSync(sentFile); tries += 1) sleep(50);
    sleep(5 * idleGraceMs);
  }

  it('responds to a request on a connection that it had not accepted yet', async () => {
    sendUnnoticed();
    const drained = server.drain();
    await eventually(() => expect(lines[0]).to.equal('HTTP/1.1 200 OK'));
    await drained;
  });

  it('responds to the requests on many connections that it had not accepted yet', async () => {
    const connections = 50;
    const crowd = spawn(
      process.execPath,
      ['-e', crowdClient, String(server.port), String(connections), sentFile],
      {
        stdio: 'pipe',
      },
    );
    const outcomes: string[] = [];
    createInterface(crowd.stdout).on('line', (line) => outcomes.push(line));
    await once(crowd.stdout, 'data');
    crowd.stdin.write('\n');
    blockUntilSent();
    await server.drain();
    await once(crowd, 'close');
    expect(outcomes).to.deep.equal(['ready', ...Array<string>(connections).fill('HTTP/1.1 200 OK')]);
  });

  it('responds to a request that arrived on an idle connection just before it is closed', async () => {
    child.stdin?.write('\n');
    await eventually(() => expect(lines).to.deep.equal(['HTTP/1.1 200 OK']));
    const drained = server.drain();
    // The listener is closed before the delay, and the grace of idle connections is over after it.
    await new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
    sendUnnoticed();
    await eventually(() => expect(lines[1]).to.equal('HTTP/1.1 200 OK'));
    await drained;
  });
});
