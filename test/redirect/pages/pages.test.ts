import { createHash } from 'node:crypto';
import { expect } from 'chai';
import { contentKind } from '../../../src/codes/content/content-types.ts';
import { chooseTranslation } from '../../../src/redirect/translations.ts';
import { contentPage } from '../../../src/redirect/pages/content-page.ts';
import { html } from '../../../src/redirect/pages/html.ts';
import { pagePolicy } from '../../../src/redirect/pages/layout.ts';
import { noticeNames, noticePage } from '../../../src/redirect/pages/notice-pages.ts';
import { allTranslations, changeTexts, samples } from './samples.ts';

const token = 'abcdefghij';
const translation = chooseTranslation('en');

describe('The share pages', () => {
  for (const language of allTranslations) {
    it(`are whole documents of at most 8 KB in ${language.lang}`, () => {
      const pages = [
        ...Object.values(samples).map((content) =>
          contentPage({ name: 'Name', token, content, translation: language }),
        ),
        ...noticeNames.map((name) => noticePage(name, language)),
      ];
      for (const page of pages) {
        expect(Buffer.byteLength(page)).to.be.at.most(8_192);
        expect(page).to.match(/^<!doctype html>\n<html lang="/);
        expect(page).to.contain(`<html lang="${language.lang}">`).and.contain('</main>');
        expect(page).to.contain('<meta name="robots" content="noindex">');
        expect(page.match(/<h1/g)).to.have.length(1);
      }
    });
  }

  it('stay under 20 KB with the longest text that a QR code holds', () => {
    const content = { kind: 'text' as const, text: 'x'.repeat(2_953) };
    expect(contentPage({ name: 'Name', token, content, translation }).length).to.be.lessThan(20_480);
  });

  it('have a policy that allows their style and their script, and nothing else inline', () => {
    for (const page of [
      contentPage({ name: 'N', token, content: samples.wifi, translation }),
      noticePage('notFound', translation),
    ]) {
      const [, style = ''] = /<style>(.*?)<\/style>/s.exec(page) ?? [];
      const [, script = ''] = /<script>(.*?)<\/script>/s.exec(page) ?? [];
      expect(page.match(/<style|<script/g)).to.have.length(2);
      expect(page).to.not.match(/ style=| on\w+=/);
      expect(pagePolicy.split('; ')).to.have.members([
        "default-src 'none'",
        `style-src '${sha256(style)}'`,
        `script-src '${sha256(script)}'`,
        "img-src 'self' data:",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
      ]);
    }
  });

  it('name no other host than those that the content links to', () => {
    for (const page of [
      contentPage({ name: 'N', token, content: samples.text, translation }),
      noticePage('notFound', translation),
    ]) {
      expect(page.replace('http://www.w3.org/2000/svg', '')).to.not.match(/https?:|\/\//);
    }
  });
});

describe('Hostile text on the share pages', () => {
  const hostile = [
    '</title></style></script><script>alert(1)</script>',
    '"><img src=x onerror=alert(1)>',
    "' onfocus=alert(1) autofocus='",
    '&lt;script&gt;',
    'a\r\nSet-Cookie: a=b\r\n\r\n<b>',
    '<!--',
    '${alert(1)}',
    '‮<bdo>',
  ];

  /** The document with what stands between tags and in attributes left out. */
  const skeleton = (page: string) => page.replace(/"[^"<>]*"/g, '""').replace(/>[^<]*</g, '><');

  for (const [kind, content] of Object.entries(samples)) {
    it(`in every field of ${kind} leaves the tags as they are`, () => {
      const show = (text: string) =>
        contentPage({
          name: text,
          token,
          translation,
          content: changeTexts(content, (old, field) => (/href$/i.test(field) ? old + text : text)),
        });
      const expected = skeleton(show('harmless, and longer than a phone number'));
      for (const text of hostile) expect(skeleton(show(text.padEnd(40))), text).to.equal(expected);
    });

    for (const href of [
      'javascript:alert(1)',
      ' JavaScript:alert(1)',
      'data:text/html,x',
      '//evil.example/',
      '',
    ]) {
      it(`makes no link of ${JSON.stringify(href)} for ${kind}`, () => {
        const changed = changeTexts(content, (old, field) => (/href$/i.test(field) ? href : old));
        const page = contentPage({ name: 'Name', token, content: changed, translation });
        const links = [...page.matchAll(/<a [^>]*href="([^"]*)"/g)].map((match) => match[1]);
        const { file } = contentKind(content.kind);
        expect(links).to.deep.equal(file ? [`/r/${token}.${file.extension}`] : []);
      });
    }
  }

  it('is escaped wherever html is given a string, in lists too', () => {
    const inner = html`<i>${'<'}</i>`;
    expect(html`<b title="${'"\''}">${['&', inner, undefined, 5]}</b>`.toString()).to.equal(
      '<b title="&quot;&#39;">&amp;<i>&lt;</i>5</b>',
    );
  });

  it('cannot pass for markup by looking like it', () => {
    const lookalike = { toString: () => '<script>' } as unknown as string;
    expect(() => html`${lookalike}`.toString()).to.throw();
  });
});

describe('What the share pages show', () => {
  const show = (content: Parameters<typeof contentPage>[0]['content'], lang = 'en') =>
    contentPage({ name: 'Name', token, content, translation: chooseTranslation(lang) });

  it('writes a birthday as the reader would', () => {
    const born = (birthday: string, lang: string) => show({ ...samples.contact, birthday }, lang);
    expect(born('1815-12-10', 'de')).to.contain('>10. Dezember 1815<');
    expect(born('--02-29', 'fr')).to.contain('>29 février<');
    expect(born('1990-02-31', 'en')).to.contain('>1990-02-31<');
    expect(born('some day', 'en')).to.contain('>some day<');
  });

  it('translates the usual labels of numbers, and leaves others as they are', () => {
    const labelled = (label: string) =>
      show({ ...samples.contact, emails: [], phones: [{ number: '1', href: 'tel:1', label }] }, 'de');
    expect(labelled('Work fax')).to.contain('>Arbeit, Fax<');
    expect(labelled('Ferienhaus')).to.contain('>Ferienhaus<');
    expect(labelled('')).to.not.contain('<small');
  });

  it('writes coordinates in plain digits, and none where only a name is known', () => {
    const at = (latitude: number, longitude: number, label: string) =>
      show({ ...samples.geo, latitude, longitude, label });
    expect(at(1e-7, -13.5, '')).to.contain('>0.0000001, -13.5<');
    expect(at(0, 0, 'Reykjavík'))
      .to.contain('Reykjavík')
      .and.not.contain('0, 0');
    expect(at(0, 0, '')).to.contain('>0, 0<');
  });

  it('names the service and the user that an address leads to, and the host where it is none of them', () => {
    const named = (...hrefs: string[]) => {
      const page = show({ kind: 'links', lines: hrefs.map((href) => ({ text: href, href })) });
      return [...page.matchAll(/<a class="button"[^>]*><svg.*?<\/svg><span><bdi>(.*?)<\/bdi>/g)].map(
        (match) => match[1],
      );
    };
    for (const [href, name] of [
      ['https://www.instagram.com/you/?igsh=1', 'Instagram · you'],
      ['https://github.com/you', 'GitHub · you'],
      ['https://github.com/you/project', 'GitHub'],
      ['https://youtube.com/@you', 'YouTube · you'],
      ['https://www.youtube.com/watch?v=1', 'YouTube'],
      ['https://www.facebook.com/profile.php?id=1', 'Facebook'],
      ['https://www.instagram.com/%3Cb%3E', 'Instagram'],
      ['https://instagram.com.evil.test/you', 'instagram.com.evil.test'],
      ['https://evil-instagram.com/you', 'evil-instagram.com'],
      ['https://instagram.com:8443/you', 'instagram.com:8443'],
      ['https://www.cafe.example/menu', 'cafe.example'],
    ] as const) {
      expect(named(href), href).to.deep.equal([name]);
    }
  });

  it('shows the address where two buttons would read the same, and tells it to a screen reader where not', () => {
    const page = show({
      kind: 'links',
      lines: ['https://youtu.be/1', 'https://youtu.be/2', 'https://github.com/you'].map((href) => ({
        text: href,
        href,
      })),
    });
    expect(page).to.contain('>youtu.be/1</small>').and.contain('>youtu.be/2</small>');
    expect(page).to.contain('<span class="unseen">https://github.com/you</span>');
  });

  it('shows the address of a link beside the label that its owner gave it', () => {
    const href = 'https://evil.example/win';
    const page = show({
      kind: 'links',
      lines: [{ text: href, href, label: 'Your \u202ebank' }, { text: 'x' }],
    });
    expect(page).to.contain('<bdi>Your bank</bdi> <small dir="ltr">evil.example/win</small>');
  });

  it('links the addresses in a text and in a note, and nothing else', () => {
    const text = 'See https://example.com/a?b="c" or javascript:alert(1)\n<b>www.example.org</b>';
    for (const content of [
      { kind: 'text' as const, text },
      { ...samples.contact, links: [], note: text },
    ]) {
      const links = [...show(content).matchAll(/<a href="(https?:[^"]*)"/g)].map(([, href]) => href);
      expect(links).to.deep.equal(['https://example.com/a?b=%22c']);
    }
  });

  it('labels the message of a text as that of an email', () => {
    for (const content of [samples.sms, samples.email]) {
      expect(show(content)).to.match(
        new RegExp(`<dt>Message</dt><dd><div class="stored" dir="auto">${content.body.slice(0, 5)}`),
      );
    }
  });

  it('groups the digits of a number as its country does, and keeps the spaces of one that has some', () => {
    const called = (number: string) => show({ kind: 'phone', number, href: 'tel:+1' });
    expect(called('+442079460000')).to.contain('>+44 20 7946 0000<');
    expect(called('+15550100123')).to.contain('>+1 555 010 0123<');
    expect(called('+35312345678')).to.contain('>+353 1 234 5678<');
    expect(called('+44 20 7946 0000')).to.contain('>+44 20 7946 0000<');
    expect(called('02079460000'), 'no country to tell').to.contain('>02079460000<');
    expect(called('+442079460000;ext=12')).to.contain('>+442079460000;ext=12<');
    expect(show({ ...samples.sms, number: '+442079460000, +15550100123' })).to.contain(
      '>+44 20 7946 0000, +1 555 010 0123<',
    );
  });

  it('asks for no password where a network has none', () => {
    const page = show({ ...samples.wifi, password: '', security: 'none', isHidden: false });
    expect(page).to.contain('Open, no password needed').and.contain(`/r/${token}.svg?encode=content`);
    expect(page).to.not.contain('<button').and.not.contain('This network is hidden');
  });

  it('keeps the line ends of a text, so that the copy is the original', () => {
    expect(show({ kind: 'text', text: '\n a\r\nb ' })).to.contain('>\n a&#13;\nb <');
  });
});

function sha256(text: string): string {
  return `sha256-${createHash('sha256').update(text).digest('base64')}`;
}
