import { expect } from 'chai';
import { sharedService } from '../../support/shared-service.ts';

describe('The locale of a page', () => {
  const localeFor = async (acceptLanguage: string) => {
    const { url } = await sharedService();
    const answer = await fetch(url, { headers: { 'Accept-Language': acceptLanguage } });
    expect(answer.status, acceptLanguage).to.equal(200);
    return / data-locale="([^"]*)"/.exec(await answer.text())?.[1];
  };

  for (const [header, locale] of [
    ['de-DE,de;q=0.9,en;q=0.8', 'de-DE'],
    ['en-GB', 'en-GB'],
    ['fr;q=0.2, pt-br;q=0.9', 'pt-BR'],
    ['tlh, es', 'es'],
    ['en-u-ca-buddhist-nu-thai', 'en'],
    ['*', 'en'],
    ['', 'en'],
    ['"><script>alert(1)</script>', 'en'],
    ['de;q=nonsense, -, --, a-, 1', 'en'],
    [`${'x'.repeat(300)},de`, 'en'],
    ['de-'.repeat(4_000), 'en'],
  ] as const) {
    it(`is ${locale} for Accept-Language "${header.slice(0, 40)}"`, async () => {
      expect(await localeFor(header)).to.equal(locale);
    });
  }
});
