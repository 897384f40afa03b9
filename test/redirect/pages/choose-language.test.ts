import { expect } from 'chai';
import { chooseTranslation } from '../../../src/redirect/translations.ts';
import { allTranslations } from './samples.ts';

describe('The language of the share pages', () => {
  const table: [header: string | undefined, lang: string][] = [
    [undefined, 'en'],
    ['', 'en'],
    ['de', 'de'],
    ['DE-at', 'de'],
    ['pt-BR,pt;q=0.9,en;q=0.8', 'pt'],
    ['zh-Hant-TW', 'zh-Hans'],
    ['zh-CN,zh;q=0.9', 'zh-Hans'],
    ['es-419,es;q=0.9', 'es'],
    ['fr;q=0.5, de;q=0.8', 'de'],
    ['fr;q=0.8, de;q=0.8', 'fr'],
    ['ja, nl;q=0.9, fr;q=0.1', 'fr'],
    ['ja,*;q=0.5', 'en'],
    ['de;q=0, fr;q=0.001', 'fr'],
    ['de;q=0', 'en'],
    ['de ; q=0.3 , es ; q=0.4', 'es'],
    ['de;q=2', 'en'],
    ['de;q=abc, es;q=0.2', 'es'],
    ['deutsch', 'en'],
    ['__proto__, constructor', 'en'],
    [';;;,,,=;q=', 'en'],
    [`${'x'.repeat(300)},de`, 'en'],
    ['\u0000<script>', 'en'],
  ];
  for (const [header, lang] of table) {
    it(`is ${lang} for ${JSON.stringify(header?.slice(0, 40))}`, () => {
      expect(chooseTranslation(header).lang).to.equal(lang);
      expect(chooseTranslation(header).lang, 'when it is remembered').to.equal(lang);
    });
  }

  it('has every word in every language', () => {
    for (const translation of allTranslations) {
      const empty = (function look(value: unknown, path: string): string[] {
        if (typeof value === 'string') return value.trim() === '' ? [path] : [];
        return Object.entries(value as object).flatMap(([name, inner]) => look(inner, `${path}.${name}`));
      })(translation, translation.lang);
      expect(empty).to.deep.equal([]);
    }
  });
});
