import { expect } from 'chai';
import { parseCodeInput } from '../../src/codes/share-token.ts';

describe('A code as an operator names it', () => {
  for (const given of [
    'aB3dE6gH9j',
    ' https://qr.test/r/aB3dE6gH9j ',
    'https://qr.test/base/r/aB3dE6gH9j.png?download',
    'https://qr.test/f/aB3dE6gH9j/Menu.pdf#page=2',
    '/f/aB3dE6gH9j/photo.jpg?1',
  ])
    it(given.trim(), () => {
      expect(parseCodeInput(given)).to.equal('aB3dE6gH9j');
    });

  it('is not any other address', () => {
    for (const given of ['https://qr.test/x/aB3dE6gH9j', 'https://qr.test/f/menu.pdf', '/r/', ''])
      expect(parseCodeInput(given), given).to.equal(undefined);
  });
});
