import { expect } from 'chai';
import { ourBrand } from '../../src/brand.ts';
import { loadSecrets } from '../../src/accounts/secrets.ts';
import { findOrCreateUser, User } from '../../src/accounts/users.ts';
import { createMailer, type Mailer } from '../../src/mail/mailer.ts';
import { claimCodes, recordDestination } from '../../src/notices/destinations.ts';
import { findEndingCodes } from '../../src/notices/facts.ts';
import { claimNotices, purgeNotices } from '../../src/notices/notices.ts';
import { addOwners } from '../../src/notices/owners.ts';
import { Scan } from '../../src/scans/scan.ts';
import type { Database } from '../../src/store/database.ts';
import { createPeriodicHandler } from '../../workers/handlers.ts';
import { createNoticeHandler } from '../../workers/notice-handler.ts';
import { apiClient } from '../support/api-client.ts';
import { eventually } from '../support/eventually.ts';
import { type MailServer, type ReceivedMail, startMailServer } from '../support/mail-server.ts';
import { scanRow } from '../support/scan-rows.ts';
import { startService, type TestService } from '../support/service.ts';
import { deleteUser } from '../../src/accounts/deletion.ts';
import { createCode } from '../support/share.ts';
import { testLog } from '../support/test-log.ts';
import { inTimeZone } from '../support/time-zone.ts';

const day = 86_400_000;
const site = { baseUrl: 'https://qr.test', supportContact: undefined, brand: ourBrand };
/** A Wednesday, at noon: neither weekly summaries nor silences are due in Europe. */
const wednesday = new Date('2026-11-11T12:00:00Z');

describe('Notices to owners', () => {
  let service: TestService;
  let mails: MailServer;
  let users = 0;
  let runHandler: (now: Date, db?: Database, mailer?: Mailer) => Promise<void>;
  /** What the mail server does with the next mails to an address. */
  const failures = new Map<string, 'busy' | 'refuse'>();
  /** The server takes mails to them, and closes the connection instead of saying so. */
  const hangUpOn = new Set<string>();

  before(async () => {
    mails = await startMailServer({
      onRcptTo({ address }, _session, done) {
        const failure = failures.get(address);
        if (failure === 'busy') done(Object.assign(new Error('Later'), { responseCode: 451 }));
        else if (failure === 'refuse') done(Object.assign(new Error('Unknown'), { responseCode: 550 }));
        else done();
      },
      onTaken: ({ to }) => !to.some((address) => hangUpOn.has(address)),
    });
    service = await startService({ config: { mail: mails.config } });
    const { unsubscribeToken } = await loadSecrets(service.db);
    runHandler = async (now, db = service.db, mailer = createMailer(mails.config)) => {
      const handle = createNoticeHandler({
        backgroundDb: db,
        mailer,
        site,
        unsubscribeToken,
        log: testLog(),
        now: () => now,
      });
      // Everybody is looked at in each run, however soon after the last one.
      await service.db('notice_checks').update({ checked_at: service.db.raw("'-infinity'") });
      const closing = new AbortController().signal;
      await createPeriodicHandler({ notices: handle }, { closing, log: testLog() }).handle({}, 'notices');
    };
  });
  after(async () => {
    await service.stop();
    await mails.stop();
  });

  async function newOwner(fields: { time_zone?: string; language?: string } = {}) {
    const email = `owner-${(users += 1)}@example.com`;
    const api = apiClient(service.url, await service.makeKey({ email }));
    const { id } = await findOrCreateUser(service.db, email, wednesday);
    await service
      .db('users')
      .where({ id })
      .update({ confirmed_email: email, ...fields });
    return {
      id,
      email,
      async code(name: string, { endsIn = 300 * day }: { endsIn?: number } = {}) {
        const code = await createCode(api, { name, content: 'https://example.com/menu' });
        const long = new Date('2026-01-01T00:00:00Z');
        await service
          .db('qr_codes')
          .where({ id: code.id })
          .update({
            created_at: long,
            updated_at: long,
            expires_at: new Date(wednesday.getTime() + endsIn),
          });
        return code.id;
      },
    };
  }

  const sentTo = ({ email }: { email: string }): ReceivedMail[] =>
    mails.received.filter(({ to }) => to.includes(email));
  const subjectsTo = (owner: { email: string }) => sentTo(owner).map(({ headers }) => headers['subject']);
  const endLeases = () =>
    service
      .db('notices')
      .whereNotNull('leased_until')
      .update({ leased_until: new Date(0) });
  const later = (days: number) => new Date(wednesday.getTime() + days * day);
  const scan = (codeId: string, at: string, count = 1) =>
    Scan.record(
      service.db,
      Array.from({ length: count }, () => scanRow(codeId, at)),
    );

  it('tell once at 60, 30, 7 days and 1 day before the end of codes, in one mail for all of them', async () => {
    const owner = await newOwner();
    await owner.code('Menu', { endsIn: 65 * day });
    await owner.code('Poster', { endsIn: 65 * day });
    await owner.code('Later', { endsIn: 300 * day });
    const expired = await owner.code('Expired', { endsIn: -day });
    expect(expired).to.be.a('string');
    for (let now = 0; now < 70; now += 1) {
      await runHandler(later(now));
      await runHandler(later(now));
    }
    const sent = sentTo(owner);
    expect(subjectsTo(owner)).to.deep.equal(Array(4).fill('2 QR codes end soon'));
    expect(sent.map(({ text }) => /less than (\d+ days?)/.exec(text)?.[1])).to.deep.equal([
      '60 days',
      '30 days',
      '7 days',
      '1 day',
    ]);
    expect(sent[0]?.text).to.contain('- Menu').and.to.contain('- Poster').and.not.to.contain('Later');
    // Filters of the list.
    expect(sent.map(({ text }) => /\/codes\?endsWithin=(\d+)/.exec(text)?.[1])).to.deep.equal([
      '90',
      '30',
      '30',
      '30',
    ]);
  });

  it('go to each current owner of the workspace once, in their language, and to nobody else', async () => {
    const [founder, second, editor] = [
      await newOwner(),
      await newOwner({ language: 'de' }),
      await newOwner(),
    ];
    const member = (user_id: string, role: string) =>
      service
        .db('workspace_members')
        .insert({ workspace_id: founder.id, user_id, role, joined_at: wednesday });
    await member(second.id, 'owner');
    await member(editor.id, 'editor');
    const code = await founder.code('Menu', { endsIn: 6 * day });
    await runHandler(wednesday);
    await runHandler(later(0.1));
    expect(subjectsTo(founder)).to.deep.equal(['“Menu” ends in 7 days']);
    expect(subjectsTo(second)).to.have.length(1);
    expect(sentTo(second)[0]?.text).to.contain('Menu').and.not.to.contain('ends in');
    expect(subjectsTo(editor)).to.deep.equal([]);
    const unsubscribe = [founder, second].map((each) => sentTo(each)[0]?.headers['list-unsubscribe']);
    expect(new Set(unsubscribe).size).to.equal(2);

    // After it is handed over, and the founder is gone.
    await deleteUser(service.db, await User.query(service.db).findById(founder.id).throwIfNotFound());
    await service
      .db('qr_codes')
      .where({ id: code })
      .update({ expires_at: new Date(wednesday.getTime() + 31 * day) });
    await runHandler(later(2));
    expect(subjectsTo(second)).to.have.length(2);
    expect(subjectsTo(founder)).to.have.length(1);
  });

  it('do not tell of an end that its owner has just chosen', async () => {
    const owner = await newOwner();
    const chosen = await owner.code('Chosen', { endsIn: 5 * day });
    await service
      .db('qr_codes')
      .where({ id: chosen })
      .update({ updated_at: later(-0.1) });
    await runHandler(wednesday);
    expect(sentTo(owner)).to.deep.equal([]);
    await runHandler(later(4.5));
    expect(subjectsTo(owner)).to.deep.equal(['“Chosen” ends in 1 day']);
  });

  it('tell of the first scan of a code once, and not of codes that were scanned before', async () => {
    const owner = await newOwner();
    const old = await owner.code('Old');
    await scan(old, '2026-11-01T12:00:00Z');
    await runHandler(wednesday);
    expect(sentTo(owner)).to.deep.equal([]);
    const fresh = await owner.code('Fresh');
    await scan(fresh, '2026-11-12T12:00:00Z', 3);
    await runHandler(later(1.1));
    await scan(fresh, '2026-11-13T12:00:00Z');
    await runHandler(later(2.1));
    await purgeNotices(service.db, later(200));
    await runHandler(later(100.1));
    expect(subjectsTo(owner)).to.deep.equal(['“Fresh” was scanned for the first time']);
    expect(sentTo(owner)[0]?.text).to.contain(`/codes/${fresh}`);
  });

  it('sum up the week from Monday to Sunday where the owner is, on Monday morning, once', async () => {
    // Midnight there is 11:00 UTC of the day before.
    const owner = await newOwner({ time_zone: 'Pacific/Auckland', language: 'de' });
    const code = await owner.code('Karte');
    await scan(code, '2026-10-31T12:00:00Z', 2);
    await runHandler(wednesday);
    for (const [at, count] of [
      ['2026-11-08T10:59:59.999Z', 100],
      ['2026-11-08T11:00:00Z', 3],
      ['2026-11-12T00:00:00Z', 4],
      ['2026-11-15T10:59:59.999Z', 5],
      ['2026-11-15T11:00:00Z', 100],
    ] as const)
      await scan(code, at, count);
    await runHandler(new Date('2026-11-15T18:50:00Z'));
    expect(sentTo(owner)).to.deep.equal([]);
    await runHandler(new Date('2026-11-15T19:00:00Z'));
    await runHandler(new Date('2026-11-16T01:00:00Z'));
    expect(subjectsTo(owner)).to.deep.equal(['12 Scans in der letzten Woche']);
    const [{ text } = { text: '' }] = sentTo(owner);
    expect(text).to.contain('Vom 9. November bis 15. November').and.to.contain('waren es 100');
    expect(text).to.contain('- Karte: 12');
    // Without scans, there is nothing to sum up.
    await runHandler(new Date('2026-11-29T20:00:00Z'));
    expect(sentTo(owner)).to.have.length(1);
  });

  it('tell of a code that is scanned every day and not today, in the evening of the owner, once', async () => {
    const owner = await newOwner({ time_zone: 'Europe/Berlin' });
    const [busy, rare, weekdays] = [
      await owner.code('Busy'),
      await owner.code('Rare'),
      await owner.code('Weekdays'),
    ];
    for (let ago = 1; ago <= 20; ago += 1) {
      const at = later(-ago).toISOString();
      await scan(busy, at, 40);
      await scan(rare, at, 2);
      if (ago % 7 !== 3) await scan(weekdays, at, 40);
    }
    await runHandler(wednesday);
    await service.db('notices').where({ user_id: owner.id }).delete();
    expect(sentTo(owner)).to.deep.equal([]);
    await runHandler(new Date('2026-11-11T18:50:00Z'));
    expect(sentTo(owner)).to.deep.equal([]);
    await runHandler(new Date('2026-11-11T19:00:00Z'));
    await runHandler(new Date('2026-11-11T20:00:00Z'));
    await runHandler(new Date('2026-11-12T20:00:00Z'));
    expect(subjectsTo(owner)).to.deep.equal(['No scans of “Busy” today']);
    expect(sentTo(owner)[0]?.text).to.contain('Busy: usually 40 a day, none today');
  });

  it('tell of a silent code by the day of an owner in the east, in whichever time zone the worker runs', async () => {
    // The 11th lasts from 11:00 UTC of the 10th to 11:00 UTC of the 11th.
    const owner = await newOwner({ time_zone: 'Pacific/Auckland' });
    const [silent, scanned] = [await owner.code('Silent'), await owner.code('Scanned')];
    for (const code of [silent, scanned])
      for (let ago = 1; ago <= 16; ago += 1)
        await scan(code, new Date(Date.parse('2026-11-10T23:00:00Z') - ago * day).toISOString(), 20);
    await scan(scanned, '2026-11-10T11:00:00Z');
    for (const zone of ['America/Los_Angeles', 'Pacific/Auckland'])
      await inTimeZone(zone, async () => {
        await runHandler(new Date('2026-11-11T06:50:00Z'));
        expect(subjectsTo(owner)).to.not.include('No scans of “Silent” today');
        await runHandler(new Date('2026-11-11T07:00:00Z'));
        await runHandler(new Date('2026-11-11T20:30:00Z'));
        const subjects = subjectsTo(owner).filter((subject) => subject?.startsWith('No scans'));
        expect(subjects, zone).to.deep.equal(['No scans of “Silent” today']);
        await service.db('notices').where({ user_id: owner.id, kind: 'silence' }).delete();
        mails.received.splice(0);
      });
  });

  it('are sent once when several workers run at the same time', async () => {
    const owner = await newOwner();
    await owner.code('Menu', { endsIn: 6 * day });
    const ownScan = await owner.code('Scanned');
    await scan(ownScan, '2026-11-11T11:00:00Z');
    await Promise.all(Array.from({ length: 4 }, () => runHandler(wednesday)));
    await runHandler(wednesday);
    expect(subjectsTo(owner)).to.have.members([
      '“Menu” ends in 7 days',
      '“Scanned” was scanned for the first time',
    ]);
  });

  it('are sent later when the server is busy, and not again when it refuses the address', async () => {
    const [busy, refused] = [await newOwner(), await newOwner()];
    failures.set(busy.email, 'busy').set(refused.email, 'refuse');
    for (const owner of [busy, refused]) await owner.code('Menu', { endsIn: 6 * day });
    await runHandler(wednesday);
    await runHandler(wednesday);
    failures.clear();
    await runHandler(wednesday);
    expect(sentTo(busy)).to.deep.equal([]);
    await runHandler(new Date(wednesday.getTime() + 11 * 60_000));
    expect([sentTo(busy).length, sentTo(refused).length]).to.deep.equal([1, 0]);
  });

  it('are all tried in one run while the server turns away every other one, however many those are', async () => {
    const owners = await Promise.all(Array.from({ length: 15 }, () => newOwner()));
    for (const owner of owners) await owner.code('Menu', { endsIn: 6 * day });
    const tried: string[] = [];
    let release = (): void => undefined;
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    const send: Mailer['send'] = async ({ to }) => {
      const number = tried.push(to);
      // The others are sent one after the other.
      if (number <= 3) await released;
      else if (number % 2 === 0) throw new Error('Later');
    };
    const run = runHandler(wednesday, service.db, { ...createMailer(mails.config), send });
    try {
      await eventually(() => expect(tried).to.include.members(owners.map(({ email }) => email)));
    } finally {
      release();
      await run;
    }
  });

  it('are sent by another worker, as the same mail, if one is killed before it has sent them', async () => {
    const owner = await newOwner();
    await owner.code('Menu', { endsIn: 6 * day });
    await addOwners(service.db, wednesday);
    await findEndingCodes(service.db, [owner.id], wednesday);
    // Killed after this.
    const taken = await claimNotices(service.db, wednesday);
    expect(taken?.workspaceId).to.equal(owner.id);
    await runHandler(wednesday);
    expect(sentTo(owner)).to.deep.equal([]);
    await owner.code('Poster', { endsIn: 6 * day });
    await runHandler(later(0.1));
    expect(subjectsTo(owner)).to.deep.equal(['“Poster” ends in 7 days']);
    await endLeases();
    await runHandler(later(0.2));
    await runHandler(later(0.3));
    expect(subjectsTo(owner)).to.have.members(['“Menu” ends in 7 days', '“Poster” ends in 7 days']);
    const ids = sentTo(owner).map(({ headers }) => headers['message-id']);
    expect(ids).to.include(`<${taken?.mailId}-${owner.id}@qr.test>`);
    expect(new Set(ids).size).to.equal(2);
  });

  it('are sent again, as the same mail, if nobody knows whether the server has accepted them', async () => {
    const owner = await newOwner();
    await owner.code('Menu', { endsIn: 6 * day });
    hangUpOn.add(owner.email);
    await runHandler(wednesday);
    hangUpOn.clear();
    await runHandler(later(0.1));
    await runHandler(later(0.2));
    const ids = sentTo(owner).map(({ headers }) => headers['message-id']);
    expect(ids).to.have.length(2);
    expect(new Set(ids).size).to.equal(1);
  });

  it('are sent again twice at most, if the server never says whether it has accepted them', async () => {
    const owner = await newOwner();
    await owner.code('Menu', { endsIn: 6 * day });
    hangUpOn.add(owner.email);
    await runHandler(wednesday);
    // That the server refuses certainly is not counted.
    failures.set(owner.email, 'busy');
    for (let run = 1; run < 6; run += 1) await runHandler(later(run / 100));
    failures.clear();
    for (let run = 6; run < 12; run += 1) await runHandler(later(run / 100));
    hangUpOn.clear();
    await runHandler(later(0.2));
    const ids = sentTo(owner).map(({ headers }) => headers['message-id']);
    expect(ids).to.have.length(3);
    expect(new Set(ids).size).to.equal(1);
  });

  it('are not sent for ever by workers that are killed', async () => {
    const owner = await newOwner();
    await owner.code('Menu', { endsIn: 6 * day });
    await addOwners(service.db, wednesday);
    await findEndingCodes(service.db, [owner.id], wednesday);
    for (let killed = 0; killed < 3; killed += 1) {
      expect((await claimNotices(service.db, wednesday))?.repeats).to.equal(killed);
      await endLeases();
    }
    await runHandler(wednesday);
    await runHandler(later(0.1));
    expect(sentTo(owner)).to.deep.equal([]);
  });

  it('are sent although looking for others takes longer than a run', async () => {
    const owner = await newOwner();
    await owner.code('Menu', { endsIn: 6 * day });
    // The run has time for one step, of 20 owners in any order.
    await service.db('users').whereNot({ id: owner.id }).update({ confirmed_email: null });
    await service.db('notice_checks').whereNot({ user_id: owner.id }).del();
    const realNow = performance.now.bind(performance);
    let elapsedMs = 0;
    performance.now = () => realNow() + elapsedMs;
    const db = new Proxy(service.db, {
      get(target, name, self) {
        if (name !== 'raw') return Reflect.get(target, name, self) as unknown;
        return async (sql: string, values: object) => {
          // Each step of the search takes two minutes, and there is always another one.
          if (sql.includes("'ending'")) {
            elapsedMs += 2 * 60_000;
            await service.db('notice_checks').update({ checked_at: service.db.raw("'-infinity'") });
          }
          return target.raw(sql, values as never) as unknown;
        };
      },
    });
    try {
      await runHandler(wednesday, db);
    } finally {
      performance.now = realNow;
    }
    expect(subjectsTo(owner)).to.deep.equal(['“Menu” ends in 7 days']);
  });

  it('are sent once although the database is away after the server has accepted them', async () => {
    const owner = await newOwner();
    await owner.code('Menu', { endsIn: 6 * day });
    let outages = 2;
    const db = new Proxy(service.db, {
      apply(target, self, [table]: [string]) {
        const query = Reflect.apply(target, self, [table]) as { update: (values: object) => unknown };
        if (table !== 'notices') return query;
        const { update } = query;
        query.update = (values) => {
          if ('claimed_at' in values && (outages -= 1) >= 0) throw new Error('Connection terminated');
          return update.call(query, values);
        };
        return query;
      },
    });
    await runHandler(wednesday, db);
    expect(outages).to.be.below(0);
    await runHandler(later(0.1));
    expect(sentTo(owner)).to.have.length(1);
  });

  it('are sent although the codes of another owner take too long to look at', async () => {
    const [heavy, other] = [await newOwner(), await newOwner()];
    for (const owner of [heavy, other]) await owner.code('Menu', { endsIn: 6 * day });
    const db = new Proxy(service.db, {
      get(target, name, self) {
        if (name !== 'raw') return Reflect.get(target, name, self) as unknown;
        return async (sql: string, values: { ownerIds?: string[] }) => {
          if (sql.includes("'ending'") && values.ownerIds?.includes(heavy.id))
            throw Object.assign(new Error('canceling statement due to statement timeout'), { code: '57014' });
          return target.raw(sql, values as never) as unknown;
        };
      },
    });
    await runHandler(wednesday, db);
    expect([sentTo(heavy).length, sentTo(other).length]).to.deep.equal([0, 1]);
  });

  it('are not sent three days after they were found: they are no news any more', async () => {
    const owners = [await newOwner(), await newOwner()] as const;
    for (const owner of owners) {
      await owner.code('Menu', { endsIn: 6 * day });
      failures.set(owner.email, 'busy');
    }
    await runHandler(wednesday);
    failures.delete(owners[0].email);
    await runHandler(later(2.9));
    failures.clear();
    await runHandler(later(3.1));
    expect(owners.map((owner) => sentTo(owner).length)).to.deep.equal([1, 0]);
  });

  it('do not say that a code ends soon after it has ended', async () => {
    const owner = await newOwner();
    await owner.code('Menu', { endsIn: 0.5 * day });
    failures.set(owner.email, 'busy');
    await runHandler(wednesday);
    failures.clear();
    await runHandler(later(1));
    expect(sentTo(owner)).to.deep.equal([]);
  });

  it('do not tell of what is no longer so when the mail can be sent', async () => {
    const owner = await newOwner();
    const [moved, changed, broken] = [
      await owner.code('Moved', { endsIn: 6 * day }),
      await owner.code('Changed'),
      await owner.code('Broken'),
    ];
    const url = 'https://example.com/menu';
    await claimCodes(service.db, [changed, broken], url, wednesday);
    await recordDestination(service.db, [changed, broken], { url, state: 'gone' }, wednesday);
    failures.set(owner.email, 'busy');
    await runHandler(wednesday);
    failures.clear();
    await service
      .db('qr_codes')
      .where({ id: moved })
      .update({ expires_at: later(300) });
    await service.db('qr_codes').where({ id: changed }).update({ content: 'https://example.com/new' });
    await runHandler(later(0.1));
    expect(subjectsTo(owner)).to.deep.equal(['“Broken” leads to a page that does not work']);
    expect(sentTo(owner)[0]?.text)
      .to.contain(`Broken: ${url} says that the page does not exist`)
      .and.contain(`/codes/${broken}/edit`);
  });

  it('are only for confirmed addresses, and for accounts that are not blocked', async () => {
    const [unconfirmed, blocked] = [await newOwner(), await newOwner()];
    await service.db('users').where({ id: unconfirmed.id }).update({ confirmed_email: 'old@example.com' });
    for (const owner of [unconfirmed, blocked]) await owner.code('Menu', { endsIn: 6 * day });
    await service.db('blocks').insert({ kind: 'account', value: blocked.id, created_at: wednesday });
    await runHandler(wednesday);
    expect([...sentTo(unconfirmed), ...sentTo(blocked)]).to.deep.equal([]);
  });

  it('can be switched off with one click by the mail program, and by the link after a question', async () => {
    const owner = await newOwner();
    await owner.code('Menu', { endsIn: 31 * day });
    await runHandler(later(2));
    const [mail] = sentTo(owner);
    expect(mail?.headers['list-unsubscribe-post']).to.equal('List-Unsubscribe=One-Click');
    const url = /^<(https:\/\/qr\.test\/unsubscribe\/\S+)>$/.exec(
      mail?.headers['list-unsubscribe'] ?? '',
    )?.[1];
    expect(url).to.be.a('string');
    expect(mail?.text).to.contain(url);
    const path = new URL(url ?? '').pathname;
    const muted = async () =>
      (
        (await service.db('users').where({ id: owner.id }).first('muted_notices')) as {
          muted_notices: unknown;
        }
      ).muted_notices;
    const page = await fetch(service.url + path);
    expect(page.status).to.equal(200);
    expect(await page.text()).to.contain('Stop these emails');
    expect(await muted()).to.equal(null);
    const last = path.endsWith('A') ? 'B' : 'A';
    for (const wrong of [path.slice(0, -1) + last, path.replace('.ending.', '.weekly.'), '/unsubscribe/x'])
      expect((await fetch(service.url + wrong, { method: 'POST' })).status).to.equal(404);
    expect(await muted()).to.equal(null);
    // Mail programs send no cookies, and may send either kind of form.
    const form = new FormData();
    form.set('List-Unsubscribe', 'One-Click');
    for (const body of [form, new URLSearchParams({ 'List-Unsubscribe': 'One-Click' })]) {
      const answer = await fetch(service.url + path, {
        method: 'POST',
        body,
        headers: { Origin: 'https://mail.example' },
      });
      expect(answer.status).to.equal(200);
      expect(await muted()).to.deep.equal(['ending']);
    }
    await runHandler(later(25));
    expect(sentTo(owner)).to.have.length(1);
    // What happened meanwhile is not told later.
    await service.db('users').where({ id: owner.id }).update({ muted_notices: null });
    await runHandler(later(25.1));
    expect(sentTo(owner)).to.have.length(1);
    await runHandler(later(30.5));
    expect(sentTo(owner)).to.have.length(2);
  });
});
