import { expect } from 'chai';
import { array, assert, constantFrom, property } from 'fast-check';
import { parseQuery, parseUrl } from '../../src/http/parse-url.ts';

describe('parseUrl', () => {
  it('accepts a URL with an umlaut however often it is called', () => {
    for (let times = 0; times < 50_000; times += 1) {
      if (!parseUrl('https://exämple.com/Straße')) expect.fail(`refused after ${times} times`);
    }
  });

  it('returns undefined for an invalid URL', () => {
    expect(parseUrl('example.com')).to.equal(undefined);
    expect(parseUrl('https://')).to.equal(undefined);
  });
});

describe('Parsing a query', () => {
  const asSearchParams = (query: string) => {
    const given = new URLSearchParams(query);
    return new Map([...new Set(given.keys())].map((name) => [name, given.getAll(name)]));
  };

  for (const query of [
    '',
    '&&',
    'a',
    'a=',
    '=b',
    'a=b=c',
    'a=1&b=2&a=3',
    'a+b=c+d%2B',
    '%C3%A4=%F0%9F%98%80',
    'a=%FF%41',
    'a=%',
    'a=%4&b=%zz',
    '__proto__=1&constructor=2',
    'ä=ö',
  ]) {
    it(`reads ${JSON.stringify(query)} as URLSearchParams does`, () => {
      expect(parseQuery(query)).to.deep.equal(asSearchParams(query));
    });
  }

  // ASCII only: Node decodes non-ASCII letters next to invalid UTF-8 bytes differently.
  it('reads any other ASCII as URLSearchParams does', () => {
    const parts = constantFrom('a', 'b', '=', '&', '+', '%41', '%C3', '%A4', '%', '%2', ' ');
    assert(
      property(array(parts, { maxLength: 20 }), (texts) => {
        const query = texts.join('');
        expect(parseQuery(query)).to.deep.equal(asSearchParams(query));
      }),
      { seed: 11, numRuns: 1_000 },
    );
  });
});
