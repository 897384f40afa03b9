import { once } from 'node:events';
import { createServer, type AddressInfo, type Server } from 'node:net';
import { expect } from 'chai';
import { readLogo } from '../../src/codes/files/read-upload.ts';
import { png } from '../codes/files/logo-files.ts';
import { expectInvalid } from '../support/expect-error.ts';
import { ownerClient } from '../support/owner-client.ts';
import type { TestService } from '../support/service.ts';
import { provingService } from '../support/shared-service.ts';
import { createCode } from '../support/share.ts';
import { decodeHere, reasonsOf } from './decode-here.ts';
import { endlessSvg, hostileLogos, type HostileLogo } from './hostile-logos.ts';
import { type WorkspaceId } from '../../src/workspaces/workspace.ts';

const megabyte = 1024 * 1024;
/** The pixels of the largest image three times, and the code of a thread. */
const maxGrowthMb = 300;

/** One of each kind, and those that would take most memory: they are sent to the service. */
const isSent = (name: string) =>
  [
    'SVG with a script by address',
    'external entity at an address',
    'billion laughs',
    'SVG nested too deep',
    'GIF',
    'PNG of 50,000 × 50,000',
    'PNG of 10 megapixels of nothing',
    'PNG with more data than pixels',
    'PNG with a script behind it',
    'JPEG of 16,000 × 16,000 in a restart marker',
    'JPEG with two frames',
    'WebP of 16,384 × 16,384',
  ].includes(name);

describe('Files that are no logo', () => {
  let service: TestService;
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
    service = await provingService();
  });
  after(() => trap.close());

  /** A code with a logo, which stays when another one is refused. */
  async function codeWithLogo() {
    const api = ownerClient(service);
    const { id } = await createCode(api);
    const put = (file: Buffer, type = 'image/png') =>
      api(`/qrcodes/${id}/design/logo`, {
        method: 'PUT',
        raw: new Uint8Array(file),
        headers: { 'Content-Type': type },
      });
    expect((await put(png())).status).to.equal(200);
    return { put, design: async () => (await api(`/qrcodes/${id}/design`)).body };
  }

  it('are refused by the service, which stays as it was, in bounded memory', async function () {
    this.timeout(240_000);
    const { put, design } = await codeWithLogo();
    const before = await design();
    const startRss = process.memoryUsage.rss();
    let peak = startRss;
    const watch = setInterval(() => {
      peak = Math.max(peak, process.memoryUsage.rss());
    }, 20);
    const sent = files.filter(([name]) => isSent(name));
    expect(sent).to.have.length(12);
    for (const [index, [name, file, message]] of sent.entries()) {
      // What a client says of the type is not believed.
      const answer = await put(file, index % 2 === 0 ? 'image/png' : 'image/svg+xml');
      expect(answer.status, name).to.equal(400);
      expectInvalid(answer, ['logo']);
      expect(answer.body.details[0].message, name).to.match(message);
    }
    clearInterval(watch);
    expect(connections).to.equal(0);
    expect((peak - startRss) / megabyte).to.be.below(maxGrowthMb);
    expect(await design()).to.deep.equal(before);
    expect((await put(png(50, 50))).status).to.equal(200);
  });

  it('are refused with a reason and a remedy, and load nothing', async () => {
    expect(files.length).to.be.at.least(60);
    const wrong: string[] = [];
    for (const [name, file, message] of files) {
      const reasons = await reasonsOf(readLogo(decodeHere, { key: 'owner' }, 'owner' as WorkspaceId, file));
      if (reasons?.length !== 1 || reasons[0]?.field !== 'logo' || !message.test(reasons[0].message))
        wrong.push(`${name}: ${reasons ? JSON.stringify(reasons) : 'accepted'}`);
    }
    expect(wrong).to.deep.equal([]);
    expect(connections).to.equal(0);
  });

  // Six seconds of processor time. That the decoder stops, test/codes/files/image-decoder.test.ts shows in less.
  describe('and take too long to draw [processes]', () => {
    it('are refused by the service', async function () {
      this.timeout(240_000);
      const { put } = await codeWithLogo();
      let answer = await put(endlessSvg, 'image/svg+xml');
      // A busy machine gives the file less processor time than it may use: the client is asked to try again.
      for (let tries = 1; tries < 5 && answer.body.code === 'overloaded'; tries += 1)
        answer = await put(endlessSvg, 'image/svg+xml');
      expectInvalid(answer, ['logo']);
      expect(answer.body.details[0].message).to.match(
        /takes too long to draw: make it simpler, or export it as PNG/,
      );
    });
  });
});
