import { expect } from 'chai';
import { parseUrl } from '../../src/http/parse-url.ts';

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
