import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import Koa from 'koa';
import type { Picture } from '../../src/codes/image/draw.ts';
import { labelOptions } from '../../src/codes/print/labels.ts';
import { createPrinter, type PrintedCode, type Printer } from '../../src/codes/print/print-codes.ts';
import { createDownloads } from '../../src/web/downloads.ts';
import { createPrints, type Prints } from '../../src/web/prints.ts';
import { eventually } from '../support/eventually.ts';
import { sharedImages } from '../support/shared-threads.ts';
import { testLog } from '../support/test-log.ts';

const picture: Picture = {
  text: 'https://qr.test/r/0123456789',
  errorCorrection: 'M',
  size: 512,
  foregroundColor: '#000000',
  backgroundColor: '#ffffff',
};
const codes: PrintedCode[] = Array.from({ length: 1_000 }, (_, index) => ({
  name: `Table ${index + 1}`,
  shareToken: '0123456789',
  picture,
}));
const one = { key: 'one', access: 'demo' as const };
const options = labelOptions({ sheet: '22806' });
const load = async () => codes;
const allPages = Math.ceil(codes.length / 12);

describe('Files of many codes', () => {
  let printer: Printer;
  let prints: Prints;
  let pages: number;

  before(() => {
    printer = createPrinter(testLog());
  });
  after(() => printer.close());
  beforeEach(() => {
    pages = 0;
    const counting: Printer = {
      ...printer,
      drawPage(caller, request) {
        pages += 1;
        return printer.drawPage(caller, request);
      },
    };
    const parts = {
      images: sharedImages(),
      downloads: createDownloads(() => () => undefined),
      baseUrl: 'https://qr.test',
      now: () => new Date(),
    };
    prints = createPrints({ db: undefined as never, printer: counting, ...parts });
  });

  it('are drawn no further when their client has disconnected, and free the slot of their account', async () => {
    const app = new Koa();
    app.silent = true;
    app.use(async (ctx) => {
      ctx.body = await prints.labels(one, load, options);
    });
    const server = app.listen(0, '127.0.0.1');
    await once(server, 'listening');
    try {
      const stop = new AbortController();
      const { port } = server.address() as AddressInfo;
      const response = await fetch(`http://127.0.0.1:${port}/`, { signal: stop.signal });
      await response.body?.getReader().read();
      stop.abort();
      // Both slots of the account are free again.
      const [first, second] = [
        await eventually(() => prints.labels(one, load, options)),
        await eventually(() => prints.labels(one, load, options)),
      ];
      first.destroy();
      second.destroy();
      expect(pages).to.be.lessThan(allPages);
    } finally {
      server.close();
    }
  });

  it('are made two at a time for one account; the third waits for one of them, and loads nothing before', async () => {
    const first = await prints.labels(one, load, options);
    const second = await prints.labels(one, load, options);
    let loads = 0;
    const loadThird = async () => {
      loads += 1;
      return codes;
    };
    const third = prints.labels(one, loadThird, options);
    const other = await prints.labels({ ...one, key: 'two' }, load, options);
    other.destroy();
    let isStarted = false;
    void third.then(() => {
      isStarted = true;
    });
    await new Promise((resolve) => setImmediate(resolve));
    // A thousand codes take memory, and time of the event loop.
    expect([isStarted, loads]).to.deep.equal([false, 0]);
    first.destroy();
    (await third).destroy();
    second.destroy();
  });

  it('end with an error, not with half a file, if a page cannot be drawn', async () => {
    const broken = { ...picture, text: 'x'.repeat(5_000) };
    const body = await prints.labels(
      one,
      async () => [{ name: 'x', shareToken: 'x', picture: broken }],
      options,
    );
    const error: unknown = await body.toArray().then(
      () => undefined,
      (reason: unknown) => reason,
    );
    expect(error).to.be.an('error');
    (await prints.labels(one, load, options)).destroy();
  });
});
