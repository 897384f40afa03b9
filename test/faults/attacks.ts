import { deflateSync, gzipSync } from 'node:zlib';
import { createApiKey } from '../../src/accounts/api-keys.ts';
import { startSession } from '../../src/accounts/sessions.ts';
import { findOrCreateUser } from '../../src/accounts/users.ts';
import { pngFile } from '../../src/codes/image/pixels.ts';
import { valuesOfDesign } from '../../src/web/codes/design/design-form.ts';
import { defaultDesign } from '../../src/codes/design/design.ts';
import { pdf } from '../codes/files/pdf-file.ts';
import { apiClient } from '../support/api-client.ts';
import type { Fixture } from '../support/fixture.ts';
import { formClient } from '../support/form-client.ts';
import { createCode } from '../support/share.ts';
import type { Attack } from './clients/attack.ts';
import { ownWorkspaceId } from '../../src/workspaces/workspace.ts';

export type Shape = Omit<Attack, 'port' | 'seconds'>;

const hostileUserAgent = 'qr'.repeat(7_000);
const bytesPerMb = 1024 * 1024;

const bytesOf = (text: string | Buffer) =>
  (typeof text === 'string' ? Buffer.from(text, 'latin1') : text).toString('base64');
const one = { connections: 50, pipelined: 1, addresses: 1 };

/** As bytes, with all that a page of ours would have given to the client. */
function requestsTo({ url }: Fixture) {
  const { host } = new URL(url);
  const cookie = (cookies: Map<string, string>) =>
    [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  return {
    get: (path: string, headers = '') => `GET ${path} HTTP/1.1\r\nHost: ${host}\r\n${headers}\r\n`,
    cookie,
    post(path: string, cookies: Map<string, string>, fields: Record<string, string>, more = '') {
      const body = new URLSearchParams(fields).toString().replaceAll('NNNNNN', '######') + more;
      return `POST ${path} HTTP/1.1\r\nHost: ${host}\r\nCookie: ${cookie(cookies)}\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`;
    },
    /** `length` bytes are announced, whatever the body has. */
    send(method: string, path: string, headers: string, body: Buffer, length = body.length) {
      const head = `${method} ${path} HTTP/1.1\r\nHost: ${host}\r\n${headers}Content-Length: ${length}\r\n\r\n`;
      return Buffer.concat([Buffer.from(head, 'latin1'), body]);
    },
  };
}

type Session = Awaited<ReturnType<typeof signIn>>;

async function signIn({ db, url }: Fixture, email: string) {
  const user = await findOrCreateUser(db, email, new Date());
  const client = formClient(url);
  client.cookies.set('__Host-qrelay-session', await startSession(db, user.id, new Date()));
  const api = apiClient(url, await createApiKey(db, ownWorkspaceId(user), 'hostile', new Date()));
  return { client, api };
}

async function tokenOf({ client }: Pick<Session, 'client'>, path: string): Promise<string> {
  const page = await (await client.get(path)).text();
  const token = /name="csrfToken" value="([^"]+)"/.exec(page)?.[1];
  if (!token) throw new Error(`No form at ${path}: ${page.slice(0, 200)}`);
  return token;
}

/** Requests whose handling takes the processor of the web process. */
export async function prepareAttacks(fixture: Fixture) {
  const { get, post } = requestsTo(fixture);
  const scanned = await fixture.makeCode();
  const owner = await signIn(fixture, 'hostile@example.com');
  return {
    'the worst User-Agent': [
      {
        ...one,
        request: bytesOf(get(`/r/${scanned.shareToken}`, `User-Agent: ${hostileUserAgent}\r\n`)),
        perSecond: 50,
      },
    ],
    'the worst form': [
      {
        ...one,
        // Commas as they are: written as %2C they would not fit into a form.
        request: bytesOf(
          post(
            '/codes/new',
            owner.client.cookies,
            { csrfToken: await tokenOf(owner, '/codes/new?type=social'), type: 'social', name: 'Hostile' },
            `&content=${','.repeat(60_000)}a`,
          ),
        ),
        perSecond: 20,
        addresses: 17,
      },
    ],
    'the worst pipelining': [
      {
        request: bytesOf(get('/docs')),
        connections: 40,
        pipelined: 400,
        perSecond: 40,
        leaveAfterMs: 1_000,
        addresses: 1,
      },
      {
        request: bytesOf(get('/docs')),
        connections: 40,
        pipelined: 30,
        perSecond: 10,
        leaveAfterMs: 60_000,
        addresses: 1,
      },
    ],
    '200 sign-ins a second': [await signIns(fixture)],
  } satisfies Record<string, Shape[]>;
}

async function signIns(fixture: Fixture): Promise<Shape> {
  const stranger = { client: formClient(fixture.url) };
  const csrfToken = await tokenOf(stranger, '/signin');
  const fields = { csrfToken, email: 'rig@example.com', password: 'not-the-password' };
  const request = bytesOf(requestsTo(fixture).post('/signin', stranger.client.cookies, fields));
  return { request, connections: 2_000, pipelined: 1, perSecond: 200, addresses: 17 };
}

type Requested = Omit<Partial<Shape>, 'request'> &
  Pick<Shape, 'connections' | 'perSecond'> & { request: string | Buffer };

/** Twelve that ask for more slow work than there is time for, each with an account or an address of its own. */
export async function prepareTwelve(fixture: Fixture): Promise<Record<string, Shape>> {
  const { get, post, send, cookie } = requestsTo(fixture);
  const [designer, uploader, slow, printer, zipper, exporter] = await Promise.all([
    signIn(fixture, 'designer@example.com'),
    signIn(fixture, 'uploader@example.com'),
    signIn(fixture, 'slow@example.com'),
    signIn(fixture, 'printer@example.com'),
    signIn(fixture, 'zipper@example.com'),
    signIn(fixture, 'exporter@example.com'),
  ]);
  const published = await createCode(designer.api);
  const addressOf = await uploadFile(uploader);
  const cookiesOf = ({ client }: Session) => `Cookie: ${cookie(client.cookies)}\r\n`;
  const design = {
    ...valuesOfDesign(defaultDesign, {
      foregroundColor: '#000000',
      backgroundColor: '#ffffff',
      errorCorrection: 'M',
    }),
    moduleShape: 'dots',
    frame: 'band',
    frameText: 'NNNNNN',
  };
  const toDesign = `/codes/${published.id}/design`;
  const designs = post(toDesign, designer.client.cookies, {
    csrfToken: await tokenOf(designer, toDesign),
    ...design,
  });
  for (const { api } of [printer, zipper]) await makeCodes(api, 500);
  const upload = await logoForm(uploader);
  const slowUpload = await logoForm(slow);
  const attacks: Record<string, Requested> = {
    'designs, posted by the form': { request: designs, isNumbered: true, connections: 12, perSecond: 30 },
    'styles, posted by the form': {
      request: post(`${toDesign}/style`, designer.client.cookies, {
        csrfToken: await tokenOf(designer, toDesign),
        ...design,
        styleName: 'Style NNNNNN',
      }),
      isNumbered: true,
      connections: 12,
      perSecond: 30,
    },
    'PDFs of a public code': {
      request: get(`/r/${published.shareToken}.pdf?cropMarks&widthMm=99.###&bleedMm=3.###`),
      isNumbered: true,
      connections: 225,
      perSecond: 225,
    },
    'uploads of large images': {
      request: send('POST', upload.path, cookiesOf(uploader) + upload.type, upload.body),
      connections: 20,
      perSecond: 20,
    },
    'uploads that never end': {
      request: send(
        'POST',
        slowUpload.path,
        cookiesOf(slow) + slowUpload.type,
        slowUpload.body.subarray(0, 2_000),
        bytesPerMb,
      ),
      connections: 20,
      perSecond: 20,
      leaveAfterMs: 60_000,
    },
    'labels that nobody reads': {
      request: get('/codes/labels.pdf?all=on&sheet=L7160&start=1', cookiesOf(printer)),
      connections: 20,
      perSecond: 20,
      leaveAfterMs: 60_000,
    },
    'archives of PNGs': {
      request: get('/codes/files.zip?all=on&format=png', cookiesOf(zipper)),
      connections: 20,
      perSecond: 20,
      leaveAfterMs: 60_000,
    },
    exports: {
      request: post('/workspace/export', exporter.client.cookies, {
        csrfToken: await tokenOf(exporter, '/account'),
      }),
      connections: 5,
      perSecond: 5,
    },
    // More than a form may have. The next request on the same connection must not wait.
    'bodies that are refused': {
      request: send(
        'POST',
        '/signin',
        'Content-Type: application/x-www-form-urlencoded\r\nContent-Encoding: gzip\r\n',
        gzipSync(Buffer.alloc(10 * bytesPerMb)),
      ),
      pipelined: 2,
      connections: 50,
      perSecond: 20,
      leaveAfterMs: 5_000,
    },
    'downloads that nobody reads': {
      request: get(addressOf),
      connections: 300,
      pipelined: 5,
      perSecond: 300,
      leaveAfterMs: 60_000,
    },
    'unknown tokens': {
      request: get('/r/0000######', 'Connection: close\r\n'),
      isNumbered: true,
      connections: 100,
      perSecond: 200,
    },
  };
  const shapes = Object.entries(attacks).map(([name, { request, ...shape }], index): [string, Shape] => [
    name,
    { pipelined: 1, addresses: 1, network: index + 1, ...shape, request: bytesOf(request) },
  ]);
  return {
    ...Object.fromEntries(shapes),
    '200 sign-ins a second': { ...(await signIns(fixture)), network: 12 },
  };
}

async function makeCodes(api: Session['api'], count: number): Promise<void> {
  const codes = Array.from({ length: count }, (_, index) => ({
    name: `Table ${index + 1}`,
    content: `https://example.com/${index + 1}`,
  }));
  const { status } = await api('/qrcodes/bulk', { method: 'POST', body: { codes } });
  if (status !== 200) throw new Error(`The codes were not created: ${status}`);
}

/** The path of a file of 10 MB that everybody may open. */
async function uploadFile({ api }: Session): Promise<string> {
  const { id } = await createCode(api);
  const { status, body } = await api(`/qrcodes/${id}/file`, {
    method: 'PUT',
    raw: new Uint8Array(pdf({ bytes: 10 * bytesPerMb - 2_000 })),
    headers: { 'Content-Type': 'application/pdf' },
  });
  if (status !== 200) throw new Error(`The file was not stored: ${status}`);
  return new URL(body.url as string).pathname;
}

/** Ten megapixels in a few kilobytes. */
async function logoForm(session: Session) {
  const code = await createCode(session.api);
  const path = `/codes/${code.id}/page-logo`;
  const form = new FormData();
  form.set('csrfToken', await tokenOf(session, path));
  form.set('alt', 'A logo');
  form.set('logo', new Blob([new Uint8Array(largePng())], { type: 'image/png' }), 'logo.png');
  const encoded = new Response(form);
  const type = `Content-Type: ${encoded.headers.get('content-type')}\r\n`;
  return { path, type, body: Buffer.from(await encoded.arrayBuffer()) };
}

function largePng(): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(4_000, 0);
  header.writeUInt32BE(2_500, 4);
  header.set([8, 0], 8);
  return pngFile(header, [], deflateSync(Buffer.alloc(4_001 * 2_500, 0)));
}
