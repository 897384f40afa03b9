import { expect } from 'chai';
import { ourBrand } from '../../src/brand.ts';
import { languages } from '../../src/http/preferred-language.ts';
import { composeMail, type DraftMail } from '../../src/mail/compose-mail.ts';
import { harmlessAddress, harmlessName } from '../../src/mail/harmless-text.ts';

const site = { baseUrl: 'https://qr.test', supportContact: 'help@qr.test', brand: ourBrand };
const link = 'https://qr.test/signin/link/abc';
const email = 'new.address@example.com';

const drafts: Record<string, { write: DraftMail; says: string }> = {
  passwordReset: { write: (texts) => texts.passwordReset(link), says: link },
  passwordChanged: { write: (texts) => texts.passwordChanged(link), says: link },
  confirmEmail: { write: (texts) => texts.confirmEmail(email, link), says: link },
  emailChanged: { write: (texts) => texts.emailChanged(email), says: email },
  webhookFailing: {
    write: (texts) => texts.webhookDisabled({ name: 'CRM', isGone: false, link }),
    says: link,
  },
  identityAdded: { write: (texts) => texts.secondFactorChanged('identity-added', link), says: link },
  identityRemoved: { write: (texts) => texts.secondFactorChanged('identity-removed', link), says: link },
  passkeyAdded: { write: (texts) => texts.secondFactorChanged('passkey-added', link), says: link },
  exportReady: { write: (texts) => texts.exportReady(link), says: link },
  exportFailed: { write: (texts) => texts.exportFailed(link), says: link },
  webhookGone: { write: (texts) => texts.webhookDisabled({ name: 'CRM', isGone: true, link }), says: '410' },
  invited: {
    write: ({ membership }) =>
      membership.invited({ workspace: 'Agency', role: 'editor', inviter: email, days: 7 }, link),
    says: 'Agency',
  },
  invitedByNobody: {
    write: ({ membership }) =>
      membership.invited({ workspace: undefined, role: 'viewer', inviter: undefined, days: 1 }, link),
    says: link,
  },
  joined: {
    write: ({ membership }) => membership.joined({ workspace: 'Agency', email, role: 'owner' }, link),
    says: email,
  },
  removed: { write: ({ membership }) => membership.removed('Agency'), says: 'Agency' },
  removedFromUnnamed: { write: ({ membership }) => membership.removed(undefined), says: 'help@qr.test' },
  roleChanged: {
    write: ({ membership }) => membership.roleChanged({ workspace: 'Agency', role: 'viewer' }, link),
    says: 'Agency',
  },
  deleted: { write: ({ membership }) => membership.deleted('Agency'), says: 'Agency' },
  deletedWithoutName: { write: ({ membership }) => membership.deleted(undefined), says: 'help@qr.test' },
  test: { write: (texts) => texts.test('Qrelay'), says: 'Qrelay' },
  ending: {
    write: ({ notices }) => notices.ending({ items: [{ name: 'Menu', days: 7 }], more: 0 }, link),
    says: 'Menu',
  },
  endings: {
    write: ({ notices }) => notices.ending({ items: [{ name: 'Menu', days: 1 }], more: 12 }, link),
    says: '12',
  },
  firstScan: {
    write: ({ notices }) => notices.firstScan({ items: [{ name: 'Menu' }], more: 0 }, link),
    says: 'Menu',
  },
  weekly: {
    write: ({ notices }) =>
      notices.weekly(
        { from: 'A', to: 'B', scans: 12, before: 345, top: [{ name: 'Menu', scans: 12 }] },
        link,
      ),
    says: '345',
  },
  silence: {
    write: ({ notices }) => notices.silence({ items: [{ name: 'Menu', usual: 40 }], more: 0 }, link),
    says: '40',
  },
  gone: {
    write: ({ notices }) =>
      notices.destination(
        { items: [{ name: 'Menu', url: 'https://example.com', failure: 'gone' }], more: 0 },
        link,
      ),
    says: 'https://example.com',
  },
  unreachable: {
    write: ({ notices }) =>
      notices.destination(
        { items: [{ name: 'Menu', url: 'https://example.com', failure: 'unreachable' }], more: 3 },
        link,
      ),
    says: 'https://example.com',
  },
};

describe('A mail', () => {
  for (const language of languages) {
    it(`says the same in plain text and HTML, and loads nothing (${language})`, () => {
      for (const [name, { write, says }] of Object.entries(drafts)) {
        const { subject, text, html } = composeMail(language, site, write);
        expect(subject, name).not.to.match(/^\s*$|[\r\n]/);
        for (const part of [text, html]) expect(part, name).to.contain(says).and.to.contain('help@qr.test');
        expect(html).to.contain(`<html lang="${language}">`);
        expect(html).not.to.match(/<(?:img|link|script|iframe|object|video|audio)\b|\bsrc=|url\(|@import/i);
        const addresses = [...html.matchAll(/href="([^"]+)"/g)].map(([, href]) => href);
        expect(new Set(addresses).size, name).to.be.at.most(1);
        for (const address of addresses) expect(address).to.equal(link);
      }
    });
  }

  it('announces no list where there is none', () => {
    const week = { from: 'A', to: 'B', scans: 12, before: 345, top: [] };
    for (const language of languages) {
      const { text } = composeMail(language, site, ({ notices }) => notices.weekly(week, link));
      expect(text.split('\n\n')[1], language).to.contain(link);
    }
  });

  it('has the link that stops mails of its kind, in plain text and HTML', () => {
    const url = 'https://qr.test/unsubscribe/abc';
    for (const language of languages) {
      const { text, html } = composeMail(
        language,
        site,
        ({ notices }) => notices.firstScan({ items: [], more: 2 }, link),
        url,
      );
      expect(text).to.contain(url);
      expect(html).to.contain(`href="${url}"`);
    }
  });

  it('has texts of its own in each language', () => {
    for (const { write } of Object.values(drafts)) {
      const subjects = languages.map((language) => composeMail(language, site, write).subject);
      expect(new Set(subjects).size, subjects.join()).to.equal(languages.length);
    }
  });

  it('about a workspace of others has a subject without its name', () => {
    const aboutOthers = Object.entries(drafts).filter(([, { write }]) => /membership/.test(String(write)));
    expect(aboutOthers.map(([name]) => name))
      .to.include('deleted')
      .and.include('invited');
    for (const language of languages)
      for (const [name, { write }] of aboutOthers)
        expect(composeMail(language, site, write).subject, name).not.to.match(/Agency|@/);
  });

  it('names the workspace of others without anything that mail programs turn into a link', () => {
    for (const [name, shown] of [
      ['Café Müller & Söhne (Wien)', 'Café Müller & Söhne (Wien)'],
      ['东京 团队', '东京 团队'],
      ['evil.com/login', 'evil com login'],
      ['https://evil.com', 'https evil com'],
      ['www.evil.com', 'www evil com'],
      ['evil。com／login', 'evil com login'],
      ['ceo@evil.com', 'ceo evil com'],
      ['<a href="x">y</a>', 'a href x y a'],
      ['Call +1 800 555 0199', undefined],
      ['...', undefined],
      ['x'.repeat(500), 'x'.repeat(40)],
    ] as const)
      expect(harmlessName(name), name).to.equal(shown);
    expect(harmlessAddress('anna.meyer+qr@example.com')).to.equal('anna.meyer+qr@example.com');
    for (const address of ['evil.com/x@example.com', 'www.evil.com@example.com', "o'x@example.com"])
      expect(harmlessAddress(address), address).to.equal(undefined);
  });

  it('escapes what others have written, and keeps the subject on one line', () => {
    const { subject, html } = composeMail('en', site, () => ({
      subject: 'One\r\nBcc: two@example.com',
      paragraphs: ['<b>"bold"</b> & more'],
      notes: [],
    }));
    expect(subject).to.equal('One Bcc: two@example.com');
    expect(html).to.contain('&lt;b&gt;&quot;bold&quot;&lt;/b&gt; &amp; more').and.not.to.contain('<b>');
  });
});
