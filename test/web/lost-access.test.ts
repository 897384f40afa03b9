import { expect } from 'chai';
import { requestExport } from '../../src/accounts/account-exports.ts';
import { createApiKey, revokeOwnKey } from '../../src/accounts/api-keys.ts';
import { blockWorkspace } from '../../src/accounts/account-blocks.ts';
import { createCode } from '../../src/codes/codes.ts';
import { defaultLimits } from '../../src/limits.ts';
import { setPlan, type WorkspaceId } from '../../src/workspaces/workspace.ts';
import { Scan } from '../../src/scans/scan.ts';
import { scanRow } from '../support/scan-rows.ts';
import { eventually } from '../support/eventually.ts';
import { startService, type TestService } from '../support/service.ts';
import { people, type Person, submit } from '../workspaces/people.ts';

const codes = 1_000;

/** Each is larger than what the buffers of a connection hold, or takes longer to make than access is checked. */
const downloads: Record<string, string> = {
  'the history as CSV': '/history.csv',
  'labels on a sheet each':
    '/codes/labels.pdf?all=on&sheet=grid&paper=A4&columns=1&rows=1&marginXMm=0&marginYMm=0&gapXMm=0&gapYMm=0&start=1&text=title',
  'pictures of codes': '/codes/files.zip?all=on&format=png',
  'the scans of a code': '/codes/:code/scans.csv',
  'the export of the workspace': '/workspace/export.zip',
};

/** What somebody receives, as slowly as it is read. */
interface Reading {
  /** Reads on. True after it was broken off, and an error if it is complete. */
  isBroken(): Promise<boolean>;
  stop(): void;
}

describe('Downloads of people who lose their access', () => {
  let service: TestService;
  let world: ReturnType<typeof people>;
  let team: { id: WorkspaceId; owner: Person };
  let codeId: string;
  before(async () => {
    service = await startService();
    world = people(service);
    team = await world.workspace();
    await setPlan(service.db, team.id, 'pro');
    codeId = await fill(team.id);
  });
  after(() => service.stop());
  beforeEach(() => service.db('request_windows').delete());

  /** With a long history, many large codes, many scans and a large export. */
  async function fill(workspaceId: WorkspaceId): Promise<string> {
    const { db } = service;
    const look = { foregroundColor: '#000000', backgroundColor: '#ffffff', size: 2048, errorCorrection: 'M' };
    const code = { name: 'Menu', type: 'url', content: 'https://example.com/', ...look } as const;
    const rules = { lifetimeDays: 365, limits: defaultLimits, now: new Date() };
    const { id } = await createCode(db, workspaceId, code as never, rules);
    const columns = (
      (await db('information_schema.columns')
        .where({ table_schema: 'public', table_name: 'qr_codes', is_generated: 'NEVER' })
        .whereNotIn('column_name', ['id', 'share_token'])
        .pluck('column_name')) as string[]
    ).join();
    await db.raw(
      `INSERT INTO qr_codes (id, share_token, ${columns})
       SELECT gen_random_uuid(), lpad(n::text, 10, 'a'), ${columns} FROM qr_codes, generate_series(2, ${codes}) AS n WHERE id = ?`,
      [id],
    );
    await db.raw(
      `INSERT INTO changes (workspace_id, actor_kind, kind, action, subject_id, after)
       SELECT ?, 'service', 'code', 'created', gen_random_uuid(), jsonb_build_object('content', repeat('x', 1000))
       FROM generate_series(1, 30000)`,
      [workspaceId],
    );
    await Scan.record(db, [scanRow(id, new Date().toISOString(), { city: 'x'.repeat(80) })]);
    await db.raw(
      `INSERT INTO scans (id, qr_code_id, scanned_at, city, country, region, device, browser, os)
       SELECT new_delivery_id(), qr_code_id, scanned_at, city, country, region, device, browser, os FROM scans, generate_series(1, 150000) WHERE qr_code_id = ?`,
      [id],
    );
    await requestExport(db, workspaceId, new Date());
    const buildId = '01936f3e-7c1a-7d44-8f0b-2a5c7f0e9b11';
    await db('account_exports')
      .where({ user_id: workspaceId })
      .update({ build_id: buildId, bytes: 400 * 100_000, built_at: new Date() });
    await db.raw(
      `INSERT INTO account_export_chunks (build_id, position, user_id, data, created_at)
       SELECT ?, n, ?, decode(repeat('ab', 100000), 'hex'), now() FROM generate_series(0, 399) AS n`,
      [buildId, workspaceId],
    );
    return id;
  }

  const cookieOf = ({ client }: Person) =>
    [...client.cookies].map(([name, value]) => `${name}=${value}`).join('; ');

  async function open(path: string, headers: Record<string, string>): Promise<Reading> {
    const stop = new AbortController();
    const { status, body } = await fetch(service.url + path.replace(':code', codeId), {
      headers,
      signal: stop.signal,
    });
    expect(status, path).to.equal(200);
    const reader = body!.getReader();
    await reader.read();
    return {
      async isBroken() {
        const { done } = await reader.read().catch(() => ({ done: undefined }));
        if (done) throw new Error(`${path} is complete`);
        return done === undefined;
      },
      stop: () => stop.abort(),
    };
  }

  async function expectBreak(lost: Reading, kept: Reading): Promise<void> {
    await eventually(async () => expect(await lost.isBroken()).to.equal(true), 60_000, 10);
    expect(await kept.isBroken()).to.equal(false);
    kept.stop();
  }

  for (const [name, path] of Object.entries(downloads)) {
    it(`${name}: ends for who is removed, and for nobody else`, async () => {
      const leaves = await world.member(team.id, 'owner');
      const reading = await open(path, { Cookie: cookieOf(leaves) });
      const other = await open(path, { Cookie: cookieOf(team.owner) });
      await submit(team.owner, `/members/${leaves.user.id}/remove`);
      await expectBreak(reading, other);
    });
  }

  it('end for an owner who becomes a viewer where only owners may have them, and nowhere else', async () => {
    const demoted = await world.member(team.id, 'owner');
    const headers = { Cookie: cookieOf(demoted) };
    const [forOwners, forViewers] = [
      await open('/workspace/export.zip', headers),
      await open('/history.csv', headers),
    ];
    await submit(team.owner, `/members/${demoted.user.id}/role`, { role: 'viewer' });
    await expectBreak(forOwners, forViewers);
  });

  it('end with the session, also where somebody else has it', async () => {
    const person = await world.member(team.id, 'owner');
    const headers = { Cookie: cookieOf(person) };
    const reading = await open('/workspace/export.zip', headers);
    const other = await open('/workspace/export.zip', { Cookie: cookieOf(team.owner) });
    await submit(person, '/signout');
    await expectBreak(reading, other);
  });

  const ends: Record<string, (keyId: string) => Promise<unknown>> = {
    'is revoked': (keyId) => revokeOwnKey(service.db, team.id, keyId, new Date()),
    'has expired': (keyId) =>
      service
        .db('api_keys')
        .where({ id: keyId })
        .update({ expires_at: new Date(0) }),
  };
  const makeKey = async () => {
    const key = await createApiKey(service.db, team.id, 'Audit', new Date());
    const row: unknown = await service.db('api_keys').orderBy('id', 'desc').first('id');
    return { key, keyId: (row as { id: string }).id };
  };
  const withKey = (key: string) => ({ Authorization: `Bearer ${key}` });
  for (const [name, end] of Object.entries(ends))
    it(`of an API key that ${name} end, and of no other`, async () => {
      const [one, other] = [await makeKey(), await makeKey()];
      const reading = await open('/api/v1/audit.csv', withKey(one.key));
      const kept = await open('/api/v1/audit.csv', withKey(other.key));
      await end(one.keyId);
      await expectBreak(reading, kept);
    });

  for (const path of ['/history.csv', '/api/v1/audit.csv'])
    it(`${path}: two at a time are sent to a workspace, twenty wait, and more are refused`, async () => {
      const { key } = await makeKey();
      const headers: Record<string, string> = path.startsWith('/api')
        ? withKey(key)
        : { Cookie: cookieOf(team.owner) };
      const sent = [await open(path, headers), await open(path, headers)];
      const stop = new AbortController();
      const signal = stop.signal;
      const statuses: number[] = [];
      const waiting = Array.from({ length: 24 }, async () => {
        const { status } = await fetch(service.url + path, { headers, signal });
        statuses.push(status);
      });
      const all = Promise.allSettled(waiting);
      await eventually(() => expect(statuses).to.deep.equal([503, 503, 503, 503]));
      stop.abort();
      for (const each of sent) each.stop();
      await all;
    });

  it('of a workspace that is blocked end for its keys', async () => {
    const { key } = await makeKey();
    const reading = await open('/api/v1/audit.csv', withKey(key));
    const member = await open('/history.csv', { Cookie: cookieOf(team.owner) });
    await blockWorkspace(service.db, team.id, null, new Date());
    await expectBreak(reading, member);
  });
});
