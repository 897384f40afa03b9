import { expect } from 'chai';
import { parseUrl } from '../../src/http/parse-url.ts';

describe('Parsing an address', () => {
  it('takes one with an umlaut however often it is asked', () => {
    for (let times = 0; times < 50_000; times += 1) {
      if (!parseUrl('https://exämple.com/Straße')) expect.fail(`refused after ${times} times`);
    }
  });

  it('gives nothing for what is no address', () => {
    expect(parseUrl('example.com')).to.equal(undefined);
    expect(parseUrl('https://')).to.equal(undefined);
  });
});
