import type { QrCode } from '../../src/codes/qr-code.ts';
import type { Route } from './routes.ts';

/** What a request must contain to succeed for the owner of the id. */
interface Sent {
  form?: Record<string, string>;
  body?: object;
}

const editFields = {
  name: 'Renamed',
  content: 'https://example.com/renamed',
  size: '512',
  errorCorrection: 'M',
  foregroundColor: '#000000',
  backgroundColor: '#ffffff',
  lastDay: '2099-12-31',
};

const designFields = {
  moduleShape: 'dots',
  eyeFrameShape: 'square',
  eyeBallShape: 'square',
  gradientShape: 'linear',
  gradientAngle: '0',
  quietZone: '4',
  frame: 'none',
};

const sentAlong: Record<string, (code: QrCode) => Sent> = {
  'PATCH /api/v1/qrcodes/:id': () => ({ body: { name: 'Renamed' } }),
  'DELETE /api/v1/qrcodes/:id': () => ({}),
  'PUT /api/v1/qrcodes/:id/design': () => ({ body: { moduleShape: 'dots' } }),
  'DELETE /api/v1/qrcodes/:id/design': () => ({}),
  'PATCH /api/v1/qrcodes/:id/ending': () => ({ body: { afterExpiryUrl: 'https://example.com/closed' } }),
  'POST /codes/:id/favorite': () => ({ form: { isFavorite: 'true' } }),
  'POST /codes/:id/visibility': () => ({ form: { isPublic: 'false' } }),
  'POST /codes/:id/renew': () => ({ form: {} }),
  'POST /codes/:id/edit': () => ({ form: editFields }),
  'POST /codes/:id/design': () => ({ form: designFields }),
  'POST /codes/:id/design/delete': () => ({ form: {} }),
  'POST /codes/:id/duplicate': () => ({ form: {} }),
  'POST /codes/:id/delete': ({ name }) => ({ form: { confirmation: name } }),
  'POST /keys/:id/revoke': () => ({ form: {} }),
  'POST /api/v1/qrcodes': () => ({ body: { name: 'Mine', content: 'https://example.com/mine' } }),
  'POST /api/v1/qrcodes/bulk': () => ({
    body: { codes: [{ name: 'Mine', content: 'https://example.com/mine' }] },
  }),
  'POST /signup': () => ({ form: {} }),
  'POST /signin': () => ({ form: {} }),
  'POST /signout': () => ({ form: {} }),
  'POST /signin/link/:token': () => ({ form: { newPassword: 'correct horse battery' } }),
  'POST /codes/new': () => ({ form: {} }),
  'POST /keys': () => ({ form: { name: 'Mine' } }),
  'POST /account/email': () => ({ form: {} }),
  'POST /account/password': () => ({ form: {} }),
  'POST /account/delete': () => ({ form: {} }),
};

/** The resource that the id in a path belongs to. */
const ids: Record<string, 'code' | 'key'> = {
  '/api/v1/qrcodes/:id': 'code',
  '/codes/:id': 'code',
  '/keys/:id': 'key',
};

const file = 'test/hostile/route-requests.ts';

export function sentTo({ method, path }: Route, code: QrCode): Sent {
  if (method === 'GET' || method === 'HEAD') return {};
  const found = sentAlong[`${method} ${path}`];
  if (!found) throw new Error(`Add the body or form of a valid ${method} ${path} to sentAlong in ${file}.`);
  return found(code);
}

export function idKind({ method, path }: Route): 'code' | 'key' {
  const [start = '', rest = ''] = path.split(/(?<=:id)/);
  const kind = ids[start];
  if (!kind || rest.includes(':'))
    throw new Error(`Add what the id in ${method} ${path} belongs to, to ids in ${file}.`);
  return kind;
}

/** The token of a sign-in link is no id: see test/web/sign-in/sign-in-links.test.ts. */
export const hasId = ({ path }: Route) => /[:(*]/.test(path.replace('/signin/link/:token', ''));

/** Ids in a query or a form. `:id` is that of a code and `:scan` that of a scan; `:mine` is a code of the caller. */
export const idsElsewhere: { of: string; method: string; path: string; form?: Record<string, string> }[] = [
  { of: 'listQrCodes cursor', method: 'GET', path: '/api/v1/qrcodes?cursor=:id' },
  { of: 'listQrCodeScans cursor', method: 'GET', path: '/api/v1/qrcodes/:mine/scans?cursor=:scan' },
  { of: 'page after', method: 'GET', path: '/codes?after=0-:id' },
  { of: 'page before', method: 'GET', path: '/codes?before=0-:id' },
  { of: 'page before', method: 'GET', path: '/codes/:mine?before=:scan' },
  { of: 'page code', method: 'GET', path: '/codes/preview.svg?code=:id' },
  { of: 'page next', method: 'GET', path: '/signin?next=/codes/:id' },
  { of: 'page next', method: 'GET', path: '/signup?next=/codes/:id' },
  {
    of: 'page back',
    method: 'POST',
    path: '/codes/:mine/favorite',
    form: { isFavorite: 'true', back: '/codes/:id' },
  },
];

/** Parameters of the pages that are never ids. */
export const noIds = `category confirmation copied days deletePassword email emailPassword encode ended
  endsWithin isFavorite isPublic name newEmail newPassword oldPassword password q switch type version csrfToken formToken
  job kind page plan preset queue reason topLevel value`.split(/\s+/);
