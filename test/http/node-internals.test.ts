import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { promisify } from 'node:util';
import { Worker } from 'node:worker_threads';
import { expect } from 'chai';

const run = promisify(execFile);

/** docs/development.md lists what of Node we use although it is not documented. A new Node that changes it fails here. */
describe('What we use of Node that is not documented', () => {
  let server: Server;
  let client: Socket;
  let response: ServerResponse;
  let socket: Socket;

  before(async () => {
    server = createServer({ keepAliveTimeout: 0 }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    client = connect((server.address() as AddressInfo).port, '127.0.0.1').pause();
    client.write('GET / HTTP/1.1\r\nHost: test\r\n\r\n');
    [, response] = (await once(server, 'request')) as [unknown, ServerResponse];
    socket = response.socket as Socket;
  });

  after(() => {
    client.destroy();
    server.closeAllConnections();
    server.close();
  });

  it('socket.parser.onIncoming, _httpMessage and shouldKeepAlive exist while a request is answered', () => {
    expect(Reflect.get(socket, 'parser')).to.have.property('onIncoming').that.is.a('function');
    expect(Reflect.get(socket, '_httpMessage')).to.equal(response);
    expect(response.shouldKeepAlive).to.equal(true);
  });

  it('_bytesDispatched and _handle.writeQueueSize tell what a client that does not read has not taken', async () => {
    const bytes = 64 * 1024 * 1024;
    response.writeHead(200, { 'Content-Length': bytes }).end(Buffer.alloc(bytes));
    await new Promise(setImmediate);
    expect(Reflect.get(socket, '_bytesDispatched')).to.be.a('number').above(bytes);
    const handle = Reflect.get(socket, '_handle') as { writeQueueSize?: unknown };
    expect(handle.writeQueueSize).to.be.a('number').above(0);
  });

  it('V8 knows the flag that keeps objects of requests in the young generation', async () => {
    const { stdout } = await run(process.execPath, ['--v8-options'], { maxBuffer: 2 ** 24 });
    expect(stdout).to.include('--allocation-site-pretenuring ');
  });

  it('process has a listener for warnings, which prints them, and nobody else has one', async () => {
    const script = "console.log(process.listenerCount('warning'))";
    const { stdout } = await run(process.execPath, ['-e', script]);
    expect(stdout.trim()).to.equal('1');
  });

  it('a thread that has exited has the id -1', async () => {
    const worker = new Worker('', { eval: true });
    await once(worker, 'exit');
    expect(worker.threadId).to.equal(-1);
  });

  it('setPriority in a thread sets the priority of this thread only', async function () {
    if (process.platform !== 'linux') this.skip();
    const script = `const { getPriority, setPriority } = require('node:os'); const { Worker } = require('node:worker_threads');
      new Worker("require('node:os').setPriority(19)", { eval: true }).on('exit', () => console.log(getPriority()));`;
    const { stdout } = await run(process.execPath, ['-e', script]);
    expect(Number(stdout)).to.be.below(19);
  });
});
