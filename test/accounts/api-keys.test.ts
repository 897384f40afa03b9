import { createHash } from 'node:crypto';
import { expect } from 'chai';
import { generateApiKey, parseApiKey } from '../../src/accounts/api-keys.ts';

const base62 = [...'0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'];
const keys = Array.from({ length: 40 }, () => generateApiKey().key);

describe('the format of an API key (decisions: Identifiers and keys)', () => {
  it('is qrl_, 8 characters of base62, _ and 38 characters of base62', () => {
    for (const key of keys) expect(key).to.match(/^qrl_[0-9A-Za-z]{8}_[0-9A-Za-z]{38}$/);
    expect(new Set(keys).size).to.equal(keys.length);
  });

  it('is parsed to the prefix and the SHA-256 of the 38 characters', () => {
    for (const key of keys) {
      const [, prefix, secret = ''] = key.split('_');
      const secretHash = createHash('sha256').update(secret).digest();
      expect(parseApiKey(key)).to.deep.equal({ prefix, secretHash });
    }
  });

  it('refuses every single mistyped character by the checksum alone', () => {
    for (const key of keys) {
      for (let place = 0; place < key.length; place += 1) {
        for (const wrong of [...base62, '_', '-', ' ', 'é']) {
          if (wrong === key[place]) continue;
          const mistyped = key.slice(0, place) + wrong + key.slice(place + 1);
          if (parseApiKey(mistyped)) expect.fail(`${mistyped} was taken for ${key}`);
        }
      }
    }
  });

  it('refuses every transposition of neighboring characters by the checksum alone', () => {
    for (const key of keys) {
      for (let place = 1; place < key.length; place += 1) {
        if (key[place] === key[place - 1]) continue;
        const swapped = key.slice(0, place - 1) + key[place] + key[place - 1] + key.slice(place + 1);
        if (parseApiKey(swapped)) expect.fail(`${swapped} was taken for ${key}`);
      }
    }
  });

  it('refuses a character too many or too few, and anything around the key', () => {
    const [key = ''] = keys;
    const bad = [
      key.slice(1),
      key.slice(0, -1),
      `${key}0`,
      ` ${key}`,
      `${key}\n`,
      `${key}_`,
      key.toUpperCase(),
    ];
    for (const text of [...bad, '', 'qrl__', key.repeat(2)])
      expect(parseApiKey(text), text).to.equal(undefined);
  });
});
