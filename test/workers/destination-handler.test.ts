import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { findOrCreateUser } from '../../src/accounts/users.ts';
import { createAddressPolicy } from '../../src/net/address-policy.ts';
import { createOutboundRequest } from '../../src/net/outbound-request.ts';
import { type PassPosition, findDueCodes, passFrom } from '../../src/notices/destinations.ts';
import { addOwners } from '../../src/notices/owners.ts';
import { Scan } from '../../src/scans/scan.ts';
import { createDestinationHandler } from '../../workers/destination-handler.ts';
import { apiClient } from '../support/api-client.ts';
import { freePort } from '../support/free-port.ts';
import { scanRow } from '../support/scan-rows.ts';
import { type TestService, startService } from '../support/service.ts';
import { createCode } from '../support/share.ts';

const day = 86_400_000;
const today = new Date('2026-11-11T12:00:00Z');
const later = (days: number) => new Date(today.getTime() + days * day);

interface Received {
  at: number;
  line: string;
  userAgent: string | undefined;
}

describe('The check of destinations', () => {
  let service: TestService;
  let server: Server;
  let port: number;
  let received: Received[] = [];
  let connections = 0;
  let users = 0;
  /** The statuses of HEAD and of GET. */
  const statuses: Record<string, [number, number]> = {
    '/missing': [404, 404],
    '/gone': [410, 410],
    '/no-head': [405, 200],
    '/head-is-wrong': [404, 200],
    '/forbidden': [403, 403],
    '/busy': [503, 503],
    '/moved': [302, 302],
  };

  before(async () => {
    service = await startService();
    server = createServer(({ method, url = '', headers }, res) => {
      received.push({ at: performance.now(), line: `${method} ${url}`, userAgent: headers['user-agent'] });
      const [head, get] = statuses[url] ?? [200, 200];
      res.writeHead(method === 'HEAD' ? head : get, { Location: `http://127.0.0.1:${port}/redirected` });
      res.end('x'.repeat(100_000));
    });
    server.on('connection', () => (connections += 1));
    server.listen(0, '0.0.0.0');
    await once(server, 'listening');
    ({ port } = server.address() as AddressInfo);
  });
  beforeEach(async () => {
    received = [];
    connections = 0;
    await service.db('qr_codes').update({ is_public: false });
    await service.db('notices').delete();
  });
  after(async () => {
    server.closeAllConnections();
    server.close();
    await service.stop();
  });

  async function run(now: Date, networks = ['127.0.0.0/8']): Promise<void> {
    await addOwners(service.db, now);
    const handle = createDestinationHandler({
      backgroundDb: service.db,
      sendCheck: createOutboundRequest({
        policy: createAddressPolicy(networks),
        timeoutMs: 5_000,
        maxBodyBytes: 1,
      }),
      mailer: {},
      site: { baseUrl: 'https://qr.test' },
      closing: new AbortController().signal,
      now: () => now,
    });
    await handle({ isOver: () => false });
  }

  async function newOwner() {
    const email = `linked-${(users += 1)}@example.com`;
    const api = apiClient(service.url, await service.makeKey({ email }));
    const { id } = await findOrCreateUser(service.db, email, today);
    await service.db('users').where({ id }).update({ confirmed_email: email });
    return {
      id,
      async code(content: string, scannedDaysAgo = 0): Promise<string> {
        const code = await createCode(api, { name: content.slice(-20), content });
        await service
          .db('qr_codes')
          .where({ id: code.id })
          .update({ expires_at: later(300) });
        await Scan.record(service.db, [scanRow(code.id, later(-scannedDaysAgo).toISOString())]);
        return code.id;
      },
    };
  }

  const local = (path: string, host = '127.0.0.1') => `http://${host}:${port}${path}`;
  const noticesOf = async ({ id }: { id: string }) =>
    (
      (await service.db('notices').where({ user_id: id, kind: 'destination' }).orderBy('id')) as {
        data: { url: string; problem: string };
      }[]
    ).map(({ data }) => `${data.problem} ${data.url}`);
  /** Scans of today, so that codes are still scanned on later days. */
  const scanAgain = (codeId: string, at: Date) =>
    Scan.record(service.db, [scanRow(codeId, at.toISOString())]);

  it('asks with HEAD, then with GET, once a day, and tells only of pages that do not exist', async () => {
    const owner = await newOwner();
    // A host for each, so that they need not wait for each other.
    const paths = [...Object.keys(statuses), '/fine'];
    for (const [index, path] of paths.entries()) await owner.code(local(path, `127.0.0.${index + 2}`));
    await run(today);
    await run(later(0.5));
    expect(received.map(({ line }) => line).toSorted((a, b) => a.localeCompare(b))).to.deep.equal(
      [
        ...paths.map((path) => `HEAD ${path}`),
        ...paths.filter((path) => !['/fine', '/moved'].includes(path)).map((path) => `GET ${path}`),
      ].toSorted((a, b) => a.localeCompare(b)),
    );
    expect(new Set(received.map(({ userAgent }) => userAgent))).to.deep.equal(
      new Set(['Qrelay-Link-Check/1 (+https://qr.test)']),
    );
    const told = (await noticesOf(owner)).map((text) => text.replace(/http:\S+?:\d+/, ''));
    expect(told).to.have.members(['gone /missing', 'gone /gone']);
  });

  it('tells of an address that cannot be reached when it is so twice in a row, once until it answers', async () => {
    const owner = await newOwner();
    const closed = `http://127.0.0.1:${await freePort()}/`;
    const code = await owner.code(closed);
    await run(today);
    expect(await noticesOf(owner)).to.deep.equal([]);
    await scanAgain(code, later(1));
    await run(later(1));
    await run(later(2));
    expect(await noticesOf(owner)).to.deep.equal([`unreachable ${closed}`]);
    // It answers again, then not.
    const opened = createServer((_req, res) => res.end()).listen(Number(new URL(closed).port), '127.0.0.1');
    await once(opened, 'listening');
    await run(later(3));
    opened.closeAllConnections();
    opened.close();
    await once(opened, 'close');
    await run(later(4));
    expect(await noticesOf(owner)).to.have.length(1);
    await run(later(5));
    expect(await noticesOf(owner)).to.have.length(2);
  });

  it('makes one request a second to a host, also with several workers, and one for codes with the same address', async () => {
    const [one, two] = [await newOwner(), await newOwner()];
    for (const path of ['/a', '/b', '/c']) await one.code(local(path));
    for (const path of ['/a', '/d']) await two.code(local(path));
    await Promise.all([run(today), run(today)]);
    expect(received.map(({ line }) => line)).to.have.members(['HEAD /a', 'HEAD /b', 'HEAD /c', 'HEAD /d']);
    const times = received.map(({ at }) => at).toSorted((a, b) => a - b);
    for (const [index, at] of times.entries())
      if (index > 0) expect(at - (times[index - 1] ?? 0)).to.be.above(900);
  });

  it('connects to public addresses only, and says nothing of others', async () => {
    const owner = await newOwner();
    for (const url of [
      local('/missing'),
      `http://localhost:${port}/missing`,
      `http://0x7f.1:${port}/missing`,
    ])
      await owner.code(url);
    await run(today, []);
    await run(later(1), []);
    expect(connections).to.equal(0);
    expect(await noticesOf(owner)).to.deep.equal([]);
  });

  it('looks at each code once in a pass, a thousand at a time', async () => {
    const owner = await newOwner();
    const code = await owner.code(local('/fine'));
    await service.db.raw(
      `WITH copies AS (
         INSERT INTO qr_codes SELECT (jsonb_populate_record(code, jsonb_build_object(
           'id', gen_random_uuid(), 'share_token', substr(md5(n::text), 1, 10)))).*
         FROM qr_codes AS code, generate_series(1, 2500) AS n WHERE code.id = :code RETURNING id
       )
       INSERT INTO scan_counters (qr_code_id, dimension, day, value, count)
       SELECT id, 'total', CAST(:today AS date), '', 1 FROM copies`,
      { code, today: today.toISOString().slice(0, 10) },
    );
    await addOwners(service.db, today);
    const found: string[] = [];
    const sizes: number[] = [];
    for (let at: PassPosition | undefined = passFrom('m'); at; ) {
      const { codes, next }: Awaited<ReturnType<typeof findDueCodes>> = await findDueCodes(
        service.db,
        at,
        today,
      );
      sizes.push(codes.length);
      found.push(...codes.map(({ id }) => id));
      at = next;
    }
    expect(Math.max(...sizes)).to.be.at.most(1_000);
    expect(found).to.have.length(2_501);
    expect(new Set(found).size).to.equal(2_501);
    await service.db('qr_codes').where({ user_id: owner.id }).delete();
  });

  it('leaves alone codes that are not scanned, private or ended, and owners who do not want to know', async () => {
    const [owner, uninterested] = [await newOwner(), await newOwner()];
    await owner.code(local('/missing?old'), 8);
    const ended = await owner.code(local('/missing?ended'));
    await service
      .db('qr_codes')
      .where({ id: ended })
      .update({ expires_at: later(-1) });
    const hidden = await owner.code(local('/missing?hidden'));
    await service.db('qr_codes').where({ id: hidden }).update({ is_public: false });
    await uninterested.code(local('/missing?muted'));
    await service
      .db('users')
      .where({ id: uninterested.id })
      .update({ muted_notices: ['destination'] });
    await run(today);
    expect(received).to.deep.equal([]);
  });
});
