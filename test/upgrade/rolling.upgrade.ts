import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { type SteadyLoad, startLoad } from '../faults/steady-load.ts';
import { eventually } from '../support/eventually.ts';
import type { SharedCode } from '../support/share.ts';
import { type ApiLoad, startApiLoad } from './api-load.ts';
import { type Belongings, createBelongings } from './belongings.ts';
import { buildRelease, previousRelease } from './build-release.ts';
import { type Installation, install } from './installation.ts';
import { qrelay } from './release-process.ts';
import { createRequestLog } from './request-log.ts';
import { startSessionLoad } from './session-load.ts';

const newRelease = fileURLToPath(new URL('../../', import.meta.url));
const demoScans = 20_000;
const scansPerSecond = 40;

describe('A rolling upgrade behind nginx, under load', function () {
  this.timeout(15 * 60_000);
  // Each step begins where the one before it ended.
  this.bail(true);
  let oldRelease: string;
  let installation: Installation;
  let codes: SharedCode[];
  let scans: SteadyLoad[];
  let api: ApiLoad;
  let belongings: Belongings;
  let session: Awaited<ReturnType<typeof startSessionLoad>>;
  let step = 'start';
  const log = createRequestLog(() => step);

  before(async () => {
    oldRelease = (await buildRelease(await previousRelease())).folder;
    installation = await install(oldRelease, demoScans);
    const key = await makeKey('api@example.com');
    belongings = await createBelongings(installation.url, makeKey, log);
    codes = [await createCode(key, 'Poster'), await createCode(key, 'Flyer')];
    scans = codes.map(({ shareToken }) =>
      startLoad([`${installation.url}/r/${shareToken}`], scansPerSecond, {
        'X-Forwarded-For': '81.2.69.142',
      }),
    );
    const [busy] = codes as [SharedCode];
    api = startApiLoad(installation.url, () => makeKey('api@example.com'), busy, log);
    session = await startSessionLoad(installation.url, log);
    await moreOfEverything();
  });
  after(async () => {
    await Promise.all(
      [...(scans ?? []), ...(api ? [api] : []), ...(session ? [session] : [])].map((one) => one.stop()),
    );
    await installation?.stop();
  });

  const run = (release: string, ...args: string[]) => qrelay(release, args, installation.settings);
  const redirects = () => scans.reduce((sum, { result }) => sum + result.redirects, 0);

  async function makeKey(email: string): Promise<string> {
    const { stdout } = await run(oldRelease, 'key', 'create', '--email', email, '--plan', 'pro');
    return stdout.trim();
  }

  async function createCode(key: string, name: string): Promise<SharedCode> {
    const answer = await fetch(`${installation.url}/api/v1/qrcodes`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({ name, content: 'https://example.com/menu' }),
    });
    expect(answer.status).to.equal(201);
    return (await answer.json()) as SharedCode;
  }

  /** Waits until clients of every kind have been served since the last step, and had no reason to complain. */
  async function moreOfEverything(): Promise<void> {
    const wanted = { redirects: redirects() + 100, turns: api.turns() + 1, codes: session.codes() + 1 };
    await eventually(() => {
      if (hasFaults()) return;
      expect(redirects()).to.be.at.least(wanted.redirects);
      expect(api.turns()).to.be.at.least(wanted.turns);
      expect(session.codes()).to.be.at.least(wanted.codes);
    }, 60_000);
    expectNoFaults();
  }

  async function expectEverythingKept(): Promise<void> {
    await moreOfEverything();
    await belongings.check();
    expectNoFaults();
  }

  const hasFaults = () =>
    log.faults.length > 0 || scans.some(({ result }) => Object.keys(result.faults).length > 0);

  function expectNoFaults(): void {
    expect(log.faults).to.deep.equal([]);
    for (const { result } of scans) expect(result.faults).to.deep.equal({});
  }

  async function replaceAll(
    kinds: ('web' | 'workers')[],
    release: string,
    { afterEach }: { afterEach: () => Promise<void> },
  ): Promise<void> {
    for (const kind of kinds)
      for (const [index, program] of installation[kind].entries()) {
        step = `${release === newRelease ? 'forward' : 'back'}, ${kind} ${index + 1}`;
        await program.replace(release);
        await afterEach();
      }
    await expectEverythingKept();
  }

  it('migrates while the previous release runs', async () => {
    step = 'migrate';
    const { stderr } = await run(newRelease, 'migrate');
    expect(stderr).to.match(/Applied 00/);
    await expectEverythingKept();
  });

  it('replaces workers, then web processes, one at a time', () =>
    replaceAll(['workers', 'web'], newRelease, { afterEach: moreOfEverything }));

  it('goes back to the previous release: web processes, then workers', async () => {
    const { stderr } = await run(oldRelease, 'migrate');
    expect(stderr).to.include('The schema is newer than this release');
    const { length: errorsBefore } = await installation.nginx.errors();
    await replaceAll(['web', 'workers'], oldRelease, { afterEach: moreOfEverything });
    // Version 0.1.0 resets connections when it ends on a busy machine, and nginx repeats a GET. This release must not.
    const errors = (await installation.nginx.errors()).slice(errorsBefore);
    expect(unexpected(errors)).to.deep.equal([]);
  });

  it('goes forward again, without a pause between two processes', async () => {
    const { stderr } = await run(newRelease, 'migrate');
    expect(stderr).to.include('The schema is up to date.');
    await replaceAll(['workers', 'web'], newRelease, { afterEach: async () => undefined });
  });

  it('finishes: the doctor asks for it if that release left something, and not any more afterwards', async () => {
    step = 'finish';
    const left = await installation
      .db('pg_indexes')
      .whereIn('indexname', ['scans_id', 'scan_counters_city'])
      .pluck('indexname');
    const isAsked = (await run(newRelease, 'doctor')).stdout.includes('migrate --finish');
    expect(isAsked, left.join()).to.equal(left.length > 0);
    await run(newRelease, 'migrate', '--finish');
    await moreOfEverything();
    expect((await run(newRelease, 'doctor')).stdout).to.not.include('migrate --finish');
  });

  it('has lost nothing: every redirect is one scan, and counters, codes and session are as they were', async () => {
    step = 'end';
    await Promise.all([...scans.map((load) => load.stop()), api.stop(), session.stop()]);
    await installation.drained();
    await belongings.check();
    expectNoFaults();
    for (const [index, { id }] of codes.entries())
      expect(await scansOf(id), `scans of code ${index}`).to.equal(scans[index]?.result.redirects);
    for (const [id, name] of api.kept) {
      const [code] = (await installation.db('qr_codes').where({ id }).select('name')) as { name: string }[];
      expect([code?.name, await scansOf(id)], id).to.deep.equal([name, 1]);
    }
    await run(newRelease, 'counters', 'verify');
    expect((await run(newRelease, 'scans', 'dead')).stdout).to.equal('');
    expect((await run(newRelease, 'queue', 'failed')).stdout).to.equal('');
    console.log(
      `      ${redirects()} redirects (slowest ${Math.round(Math.max(...scans.map(({ result }) => result.slowestMs)))} ms), ` +
        `${log.requests} other requests (slowest ${Math.round(log.slowestMs)} ms), ${session.codes()} forms, ${belongings.paths.length} belongings`,
    );
  });

  async function scansOf(codeId: string): Promise<number | undefined> {
    const [row] = (await installation.db('scans').where({ qr_code_id: codeId }).count('* as count')) as {
      count: number;
    }[];
    return row?.count;
  }
});

/** A process that is being replaced refuses connections; nginx then asks the other one. */
function unexpected(errors: string[]): string[] {
  return errors.filter((line) => !line.includes('connect() failed (111: Connection refused)'));
}
