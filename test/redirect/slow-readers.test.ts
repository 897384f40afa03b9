import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { expect } from 'chai';
import { pdf } from '../codes/files/pdf-file.ts';
import { apiClient } from '../support/api-client.ts';
import { eventually } from '../support/eventually.ts';
import { startService, type TestService } from '../support/service.ts';
import { createCode } from '../support/share.ts';

/** 20 get the file, 100 wait for them. */
const readers = 120;
const megabyte = 1024 * 1024;

describe('Readers of files that read slowly', () => {
  let service: TestService;
  before(async () => {
    service = await startService({ config: { trustProxyHops: 1 } });
  });
  after(() => service.stop());

  it(`take little memory, ${readers} at a time, and others get the file meanwhile`, async function () {
    this.timeout(60_000);
    const api = apiClient(service.url, await service.makeKey());
    const { id } = await createCode(api);
    const file = pdf({ bytes: 9 * megabyte });
    const answer = await api(`/qrcodes/${id}/file`, {
      method: 'PUT',
      raw: new Uint8Array(file),
      headers: { 'Content-Type': 'application/pdf' },
    });
    const { pathname, port } = new URL(answer.body.url.replace('https://qr.test', service.url));
    // Of Buffers.
    const held = () => process.memoryUsage().arrayBuffers;
    const before = held();
    const sockets: Socket[] = [];
    for (let index = 0; index < readers; index += 1) {
      const socket = connect({ port: Number(port), host: '127.0.0.1' });
      sockets.push(socket);
      socket.on('error', () => undefined);
      await once(socket, 'connect');
      socket.pause();
      socket.write(`GET ${pathname} HTTP/1.1\r\nHost: qr.test\r\nX-Forwarded-For: 192.0.2.1\r\n\r\n`);
    }
    const read = (address: string) =>
      fetch(`${service.url}${pathname}`, { headers: { 'X-Forwarded-For': address } });
    // All of them have been received when the same client gets no more.
    await eventually(async () => {
      const refused = await read('192.0.2.1');
      await refused.body?.cancel();
      expect([refused.status, refused.headers.get('retry-after')]).to.deep.equal([503, '5']);
    });
    // Before this process downloads it as well.
    const growthMb = (held() - before) / megabyte;
    const whole = await read('192.0.2.2');
    expect((await whole.arrayBuffer()).byteLength).to.equal(file.length);
    expect(growthMb).to.be.below(60);
    for (const socket of sockets) socket.destroy();
    await eventually(async () => {
      const again = await read('192.0.2.1');
      await again.body?.cancel();
      expect(again.status).to.equal(200);
    });
  });
});
