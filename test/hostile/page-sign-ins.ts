import { get, leads, opens, type PageRow, post, refused, wrong } from './page-row.ts';

/** Other sites, for forms with a `next` address. */
export const elsewhere = [
  '//evil.example',
  '/\\evil.example',
  'https://evil.example/',
  'javascript:alert(1)',
  '/%09/evil.example',
];
/** Sign-in attempts. */
export const signInRows: PageRow[] = [
  ...elsewhere.map(
    (next): PageRow => ({
      ...get(
        `a sign-in that goes on at ${next}`,
        `/signin?next=${encodeURIComponent(next)}`,
        opens('Sign in'),
      ),
      withoutSession: true,
    }),
  ),
  {
    ...get('a sign-in that goes on at two places', '/signin?next=/a&next=/b', opens('Sign in')),
    withoutSession: true,
  },
  {
    ...post('a sign-in with a NUL', '/signin', 'csrfToken={token}&email=a%00b@example.com&password=x', wrong),
    withoutSession: true,
  },
  {
    ...post(
      'a sign-in of two people',
      '/signin',
      'csrfToken={token}&email=a@example.com&email=b@example.com&password=x',
      wrong,
    ),
    withoutSession: true,
  },
  {
    ...post('a sign-in by SQL', '/signin', "csrfToken={token}&email='OR'1'='1&password='OR'1'='1", wrong),
    withoutSession: true,
  },
  {
    ...post(
      'a sign-in with a password of 60 KB',
      '/signin',
      `csrfToken={token}&email=hostile@example.com&password=${'x'.repeat(60_000)}`,
      wrong,
    ),
    withoutSession: true,
  },
  {
    ...post('a sign-in by a pattern', '/signin', 'csrfToken={token}&email[$ne]=x&password[$ne]=x', wrong),
    withoutSession: true,
  },
  {
    ...post(
      'a sign-up with a NUL',
      '/signup',
      'csrfToken={token}&email=a%00@example.com&password=correct+horse+battery',
      refused('such as you@example.com.'),
    ),
    withoutSession: true,
  },
  {
    ...post(
      'a sign-up with a header in the email',
      '/signup',
      'csrfToken={token}&email=a@example.com%0d%0aBcc:b@example.com&password=correct+horse+battery',
      refused('such as you@example.com.'),
    ),
    withoutSession: true,
  },
  {
    ...post(
      'a sign-up with a password of 60 KB',
      '/signup',
      `csrfToken={token}&email=long@example.com&password=${'xyz'.repeat(20_000)}`,
      refused('Password is too long. Shorten it to'),
    ),
    withoutSession: true,
  },
  ...['=', '%00', 'a'.repeat(8_000), '../../x', "'OR'1'='1"].map(
    (session): PageRow => ({
      ...get(`a session that is ${session.slice(0, 12)}`, '/keys', leads('/signin?next=%2Fkeys')),
      headers: [['Cookie', `__Host-qrelay-session=${session}`]],
      withoutSession: true,
    }),
  ),
];
