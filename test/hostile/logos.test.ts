import { once } from 'node:events';
import { createServer, type AddressInfo, type Server } from 'node:net';
import { expect } from 'chai';
import { png } from '../codes/files/logo-files.ts';
import { type ApiClient, apiClient } from '../support/api-client.ts';
import { expectInvalid } from '../support/expect-error.ts';
import { startService, type TestService } from '../support/service.ts';
import { hostileLogos, type HostileLogo } from './hostile-logos.ts';

const megabyte = 1024 * 1024;
/** The pixels of the largest image three times, and the code of a thread. */
const maxGrowthMb = 300;

describe('Files that are no logo', () => {
  let service: TestService;
  let api: ApiClient;
  let trap: Server;
  let connections = 0;
  let files: HostileLogo[];

  before(async () => {
    trap = createServer((socket) => {
      connections += 1;
      socket.destroy();
    }).listen(0, '127.0.0.1');
    await once(trap, 'listening');
    files = await hostileLogos(`http://127.0.0.1:${(trap.address() as AddressInfo).port}`);
    service = await startService();
  });
  after(async () => {
    await service.stop();
    trap.close();
  });

  const put = (id: string, file: Buffer, type = 'image/png') =>
    api(`/qrcodes/${id}/design/logo`, {
      method: 'PUT',
      raw: new Uint8Array(file),
      headers: { 'Content-Type': type },
    });

  it('are refused with a reason and a remedy, load nothing, and leave the service as it was', async function () {
    this.timeout(240_000);
    expect(files.length).to.be.at.least(60);
    api = apiClient(service.url, await service.makeKey());
    const body = { name: 'Menu', content: 'https://example.com/' };
    const { id } = (await api('/qrcodes', { method: 'POST', body })).body;
    expect((await put(id, png())).status).to.equal(200);
    const before = (await api(`/qrcodes/${id}/design`)).body;
    const startRss = process.memoryUsage.rss();
    let peak = startRss;
    const watch = setInterval(() => {
      peak = Math.max(peak, process.memoryUsage.rss());
    }, 20);
    const wrong: string[] = [];
    for (const [index, [name, file, message]] of files.entries()) {
      if (index % 80 === 79)
        api = apiClient(service.url, await service.makeKey({ email: 'user-1@example.com' }));
      // What a client says of the type is not believed.
      const answer = await put(id, file, index % 2 === 0 ? 'image/png' : 'image/svg+xml');
      if (answer.status !== 400 || !message.test(answer.body.details[0].message)) {
        wrong.push(`${name}: ${answer.status} ${answer.body.message ?? 'accepted'}`);
        continue;
      }
      expectInvalid(answer, ['logo']);
    }
    clearInterval(watch);
    expect(wrong).to.deep.equal([]);
    expect(connections).to.equal(0);
    expect((peak - startRss) / megabyte).to.be.below(maxGrowthMb);
    expect((await api(`/qrcodes/${id}/design`)).body).to.deep.equal(before);
    expect((await put(id, png(50, 50))).status).to.equal(200);
  });
});
