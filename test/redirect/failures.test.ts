import { expect } from 'chai';
import type { Images } from '../../src/codes/image/image-thread.ts';
import { parseContent } from '../../src/codes/content/content-types.ts';
import { createClientAddresses } from '../../src/http/client-address.ts';
import { type HttpServer, openHttpServer } from '../../src/http/http-server.ts';
import type { ScanProducer } from '../../src/queue/producer.ts';
import { createScanPolicy } from '../../src/redirect/scan-policy.ts';
import { ourBrand } from '../../src/brand.ts';
import { createLane } from '../../src/redirect/handler.ts';
import { createImageSender } from '../../src/redirect/images.ts';
import type { Target } from '../../src/redirect/target.ts';
import { createLog } from '../../src/telemetry/log.ts';
import { createWebMetrics } from '../../src/telemetry/web-metrics.ts';

const good: Target = {
  codeId: 'code',
  name: 'Code',
  type: 'url',
  content: parseContent('url', 'https://example.com/'),
  picture: {
    content: 'https://example.com/',
    errorCorrection: 'M',
    size: 512,
    foregroundColor: '#000000',
    backgroundColor: '#ffffff',
  },
  look: { title: null, text: null, color: null, showsName: true },
  photo: undefined,
  pageLogo: null,
  isPublic: true,
  isBlocked: false,
  expiresAtMs: Number.POSITIVE_INFINITY,
  afterExpiryHref: undefined,
};
/** What no rule lets into the database today: writeHead throws on it. */
const unsendable: Target = { ...good, content: { kind: 'link', href: 'https://example.com/\nX: y' } };

/** A lane whose parts fail, one way for each token. */
const targets: Record<string, () => Target | Promise<Target>> = {
  goodgoodgo: () => good,
  throwsatit: () => {
    throw new Error('made to fail');
  },
  unsendable: () => unsendable,
  latethrows: () => Promise.resolve(unsendable),
  unreadable: () => ({ ...good, content: undefined as unknown as Target['content'] }),
};

describe('A failure while a share link is served', () => {
  let server: HttpServer;
  let lines: string[];
  let metrics: ReturnType<typeof createWebMetrics>;

  before(async () => {
    lines = [];
    metrics = createWebMetrics();
    const log = createLog('test', 'info', { write: (line) => lines.push(line) });
    const producer: ScanProducer = {
      enqueue: (_scan, onDurable) => void setImmediate(onDurable, 'queue'),
      close: async () => undefined,
    };
    // A length that is none: writeHead throws on it.
    const body = { length: Number.NaN } as unknown as Buffer;
    const images: Images = {
      draw: async () => ({ body, etag: '"\n"' }),
      findUndrawable: async () => null,
      close: async () => undefined,
    };
    const lane = createLane(
      {
        site: { basePath: '', brand: ourBrand },
        targets: {
          find: (token) => targets[token]?.() ?? null,
          forget: () => undefined,
          close: async () => undefined,
        },
        producer,
        scanPolicy: createScanPolicy(),
        sendImage: createImageSender({
          images,
          clientOf: () => 'a client',
          baseUrl: 'https://qr.test',
          log,
        }),
        readPhoto: async () => undefined,
        sendPageLogo: () => Promise.reject(new Error('There are no logos')),
        reportHref: () => undefined,
        addresses: createClientAddresses(0),
        nowMs: Date.now,
        metrics,
        log,
      },
      (_req, res) => void res.end('next'),
    );
    server = await openHttpServer(lane, { port: 0, host: '127.0.0.1', idleGraceMs: 0 });
  });
  after(() => server.drain());

  const open = (path: string) =>
    fetch(`http://127.0.0.1:${server.port}/r/${path}`, {
      redirect: 'manual',
      signal: AbortSignal.timeout(5_000),
    });

  const rows = ['throwsatit', 'unsendable', 'latethrows', 'unreadable', 'goodgoodgo.svg'];
  for (const path of rows) {
    it(`is a 500 for that request alone: ${path}`, async () => {
      const before = (await metrics.uncaughtErrors.get()).values[0]?.value ?? 0;
      const [bad, fine] = await Promise.all([open(path), open('goodgoodgo')]);
      expect(fine.status).to.equal(302);
      expect(bad.status).to.equal(500);
      expect(bad.headers.get('content-type')).to.equal('text/html; charset=utf-8');
      expect(await bad.text()).to.not.match(/made to fail|at .*\.ts/);
      expect((await metrics.uncaughtErrors.get()).values[0]?.value).to.equal(before + 1);
    });
  }

  it('is in the log once for many', async () => {
    for (let time = 0; time < 50; time += 1) await open('throwsatit');
    expect(lines.filter((line) => line.includes('a request for a share link failed'))).to.have.length(1);
    expect(lines.length).to.be.below(4);
  });
});
