import { expect } from 'chai';
import { type ApiClient, apiClient } from '../../support/api-client.ts';
import { androidPhone } from '../../support/browser.ts';
import { elementsIn, partOf, textIn } from '../../support/html.ts';
import { createCode, openShare } from '../../support/share.ts';
import { sharedService } from '../../support/shared-service.ts';
import type { TestService } from '../../support/service.ts';
import {
  allowedSchemes,
  contentsWith,
  createCodes,
  markup,
  nameWith,
  type PageType,
  pageTypes,
} from './share-contents.ts';

describe('The share pages as they are served', () => {
  let service: TestService;
  let api: ApiClient;
  let tokens: Map<PageType, string>;

  before(async () => {
    service = await sharedService();
    api = apiClient(service.url, await service.makeKey());
    tokens = await createCodes(api);
  });

  /** To an iPhone unless told. */
  async function open(type: PageType, headers: Record<string, string> = {}): Promise<string> {
    const answer = await openShare(service.url, tokens.get(type) ?? '', {
      headers: { 'Accept-Language': 'en-GB', ...headers },
    });
    expect(answer.status).to.equal(200);
    return answer.text();
  }
  const linksIn = (page: string) => elementsIn(partOf(page, 'main'), 'a');
  const hrefOf = (page: string, name: string) =>
    linksIn(page).find(({ text }) => text === name)?.attributes['href'];

  it('offer to call a number', async () => {
    const page = await open('phone');
    expect(hrefOf(page, 'Call')).to.equal('tel:+442079460958');
    expect(textIn(partOf(page, 'main'))).to.contain('+44 20 7946 0958');
  });

  it('offer to write a message or an email, and show it', async () => {
    const sms = await open('sms');
    expect(hrefOf(sms, 'Write message')).to.match(/^sms:\+15550100\b.*Table/);
    expect(textIn(partOf(sms, 'main'))).to.contain('Table for two?');
    const email = await open('email');
    expect(hrefOf(email, 'Write email')).to.match(/^mailto:hello@example\.com\?.*Soup/);
    expect(textIn(partOf(email, 'main'))).to.contain('Is it vegan?');
  });

  it('offer the maps app of Android and of Apple, and only the map elsewhere', async () => {
    const android = await open('geo', { 'User-Agent': androidPhone.userAgent ?? '' });
    expect(hrefOf(android, 'Open in maps')).to.match(/^geo:52\.5163,13\.3777/);
    expect(hrefOf(android, 'Show on map')).to.match(/^https:/);
    const apple = await open('geo');
    expect(hrefOf(apple, 'Open in maps')).to.equal(
      'https://maps.apple.com/?ll=52.5163,13.3777&q=Brandenburg%20Gate',
    );
    expect(hrefOf(apple, 'Show on map')).to.match(/^https:/);
    const desktop = await open('geo', { 'User-Agent': 'Mozilla/5.0 (X11; Linux x86_64) Firefox/130.0' });
    expect(linksIn(desktop).map(({ text, attributes }) => [text, attributes['class']])).to.deep.equal([
      ['Show on map', 'button primary'],
    ]);
  });

  it('show the details of a contact, and save it as a .vcf that has them', async () => {
    const page = await open('vcard', { 'User-Agent': androidPhone.userAgent ?? '' });
    expect(elementsIn(page, 'h1').map(({ text }) => text)).to.deep.equal(['Ada Example']);
    expect(hrefOf(page, '+44 20 7946 0958')).to.equal('tel:+442079460958');
    const saved = await fetch(service.url + hrefOf(page, 'Save contact'));
    expect(saved.headers.get('Content-Disposition')).to.match(/^attachment; filename="[^"]+\.vcf"/);
    const lines = (await saved.text()).split('\r\n');
    expect(lines.slice(0, 2)).to.deep.equal(['BEGIN:VCARD', 'VERSION:3.0']);
    expect(lines.slice(-2)).to.deep.equal(['END:VCARD', '']);
    expect(lines).to.include('FN:Ada Example').and.include('ORG:Example Engines');
  });

  it('have a button for every address of several, without telling where the reader came from', async () => {
    for (const type of ['social', 'whatsapp'] as const) {
      const links = linksIn(await open(type));
      expect(links).to.have.length(2);
      for (const { attributes, text } of links) {
        const href = attributes['href'] ?? '';
        expect(href).to.match(/^https:\/\/\w+\.example\//);
        expect(attributes['title']).to.equal(href);
        expect(text).to.contain(new URL(href).host).and.contain(href);
        expect(attributes['rel']).to.equal('noopener noreferrer nofollow');
      }
    }
  });

  it('show the network, its password and the code to join it with', async () => {
    const page = await open('wifi');
    expect(textIn(partOf(page, 'main')))
      .to.contain('Cafe Guests')
      .and.contain('latte;art 42');
    const [picture] = elementsIn(partOf(page, 'main'), 'img');
    expect(picture?.attributes).to.include({
      alt: 'QR code to join this Wi-Fi network',
      src: `/r/${tokens.get('wifi')}.svg?encode=content`,
    });
  });

  it('speak the language of the browser', async () => {
    const page = await open('phone', { 'Accept-Language': 'de-AT' });
    expect(hrefOf(page, 'Anrufen')).to.equal('tel:+442079460958');
    expect(page).to.contain('<html lang="de">');
  });

  const hostile = [
    ['markup', markup.join('')],
    ['javascript:', 'javascript:window.__hacked=1'],
    ['a long word', 'x'.repeat(1_500)],
    ['line ends, emoji and other directions', 'a\r\nb\u2028👩🏽‍🚒 שלום ‮ مرحبا <b>'],
  ] as const;

  /** The names of all elements, and of attributes that could run something or load something from elsewhere. */
  function suspiciousIn(page: string): { elements: string[]; attributes: string[]; schemes: string[] } {
    const body = /<body[^]*<\/body>/.exec(page)?.[0] ?? '';
    const tags = [...body.matchAll(/<([a-z]\w*)((?:\s+[\w-]+(?:="[^"]*")?)*)\s*\/?>/gi)];
    expect(tags.length, 'every < begins a tag').to.equal(
      body.replaceAll(/<script>[^]*?<\/script>/g, '<script>').match(/<(?!\/)/g)?.length,
    );
    const links = elementsIn(body, 'a').map(
      ({ attributes }) => new URL(attributes['href'] ?? '', service.url),
    );
    return {
      elements: tags
        .map(([, name = '']) => name)
        .filter((name) => /^(?:script|style|link|iframe|b|base|form|object|embed|meta)$/i.test(name)),
      attributes: tags.flatMap(([, , list = '']) =>
        [...list.matchAll(/([\w-]+)="([^"]*)"/g)]
          .filter(
            ([, name = '', value = '']) =>
              /^(?:on|style)/.test(name) || (name === 'src' && !value.startsWith('/r/')),
          )
          .map(([attribute]) => attribute),
      ),
      schemes: links.map(({ protocol }) => protocol).filter((scheme) => !allowedSchemes.includes(scheme)),
    };
  }

  for (const type of pageTypes)
    it(`have only their own elements for a ${type}, whatever its text is`, async () => {
      const own = apiClient(service.url, await service.makeKey());
      for (const [index, [what, text]] of hostile.entries())
        for (const content of contentsWith(type, text)) {
          const name = nameWith(index === 0 ? (markup[pageTypes.indexOf(type) % 3] ?? '') : text);
          const { shareToken } = await createCode(own, { name, type, content, errorCorrection: 'L' });
          const page = await (await openShare(service.url, shareToken)).text();
          expect(page, what).to.match(
            /<body[^>]*>\s*<main[^]*<\/main>\s*<footer[^]*<\/footer>\s*<script>[^]*<\/script>\s*<\/body>/,
          );
          expect(suspiciousIn(page), what).to.deep.equal({
            elements: ['script'],
            attributes: [],
            schemes: [],
          });
        }
    });
});
