import { expect } from 'chai';
import { newTotpSecret, totpCode, totpStep, totpUrl } from '../../src/accounts/second-factors.ts';

/** "12345678901234567890", the key of the examples in RFC 6238. */
const secret = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ';

describe('Codes of authenticator apps', () => {
  it('are those of RFC 6238', () => {
    const examples = { 59: '287082', 1111111109: '081804', 1234567890: '005924', 20000000000: '353130' };
    for (const [seconds, code] of Object.entries(examples))
      expect(totpCode(secret, new Date(Number(seconds) * 1_000))).to.equal(code);
  });

  it('are accepted from clocks that are up to 30 seconds off, and no further', () => {
    const now = new Date('2026-11-16T10:00:15Z');
    const at = (seconds: number) =>
      totpStep(secret, totpCode(secret, new Date(now.getTime() + seconds * 1_000)), now);
    const step = Math.floor(now.getTime() / 30_000);
    expect([-60, -30, 0, 30, 60].map(at)).to.deep.equal([undefined, step - 1, step, step + 1, undefined]);
    for (const bad of ['', '12345', '1234567', 'abcdef', '١٢٣٤٥٦'])
      expect(totpStep(secret, bad, now), bad).to.equal(undefined);
  });

  it('come from secrets of 160 bits, in a URL that apps read', () => {
    expect(newTotpSecret())
      .to.match(/^[A-Z2-7]{32}$/)
      .and.not.to.equal(newTotpSecret());
    expect(totpUrl(secret, 'a+b@example.com', { name: 'Qrelay', host: 'qr.test' })).to.equal(
      `otpauth://totp/Qrelay%20(qr.test):a%2Bb%40example.com?secret=${secret}&issuer=Qrelay%20(qr.test)`,
    );
  });
});
