import { expect } from 'chai';
import { safeReturnPath } from '../../../src/web/sign-in/sign-in-steps.ts';

describe('The return path after signing in', () => {
  it('is a page of the app', () => {
    const id = '01890000-0000-7000-8000-000000000000';
    for (const page of [
      '/',
      '/codes',
      '/codes?q=menu&type=url',
      '/codes?q=%C3%BC+%22x%22&after=1-x',
      '/codes/new',
      `/codes/${id}`,
      `/codes/${id}?days=7`,
      `/codes/${id}/edit`,
      `/codes/${id}/scans.csv`,
      '/keys',
      `/keys/${id}/revoke`,
      '/account',
      '/docs',
    ])
      expect(safeReturnPath(page), page).to.equal(page);
  });

  it('is never a share link, the API or another site, however it is written', () => {
    for (const next of [
      '/r/abcdefghij',
      '/r/abcdefghij.svg',
      '/codes/../r/abcdefghij',
      '/codes/./../r/abcdefghij',
      '/codes/%2e%2e/r/abcdefghij',
      '/codes/.%2E/r/abcdefghij',
      '/codes\\..\\r\\abcdefghij',
      '/co\tdes/../r/abcdefghij',
      '/./r/abcdefghij',
      '/%72/abcdefghij',
      '//r/abcdefghij',
      '/api/v1/qrcodes',
      '/signin?next=/r/abcdefghij',
      '/signout',
      '/metrics',
      '//evil.test',
      '//evil.test/codes',
      '///evil.test',
      '/\\evil.test',
      '/\t/evil.test',
      '/\n/evil.test',
      '/\r\\evil.test',
      ' //evil.test',
      '/codes/..//evil.test',
      '/codes/../\\evil.test',
      '\\\\evil.test',
      'https://evil.test/codes',
      'https:evil.test',
      'javascript:alert(1)',
      '@evil.test',
      '.evil.test',
      ':80/codes',
      'codes',
      '',
      `/codes?q=${'x'.repeat(3_000)}`,
      undefined,
      ['/codes', '/codes'],
    ])
      expect(safeReturnPath(next), String(next)).to.equal(undefined);
  });

  it('is normalized as a browser does', () => {
    for (const [next, page] of [
      ['/codes/../keys', '/keys'],
      ['/keys/./../account#top', '/account'],
      ['/co\ndes?q=a\r\nSet-Cookie:b', '/codes?q=aSet-Cookie:b'],
    ] as const)
      expect(safeReturnPath(next), next).to.equal(page);
  });
});
