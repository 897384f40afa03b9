import { pdf } from '../codes/files/pdf-file.ts';
import { png } from '../codes/files/logo-files.ts';
import type { QrCode } from '../../src/codes/qr-code.ts';
import type { Route } from './routes.ts';

/** What a request must contain to succeed for the owner of the id. */
interface Sent {
  form?: Record<string, string>;
  body?: object;
  file?: Buffer;
  /** A form with a file in this field. */
  upload?: { field: string; file: Buffer };
  /** With its question mark. */
  query?: string;
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

const endpointFields = { name: 'Mine', url: 'https://example.com/hook', 'code-created': 'on' };

function today() {
  const day = new Date().toISOString().slice(0, 10);
  return { firstDay: day, lastDay: day };
}
const designFields = {
  moduleShape: 'dots',
  eyeFrameShape: 'square',
  eyeBallShape: 'square',
  gradientShape: 'linear',
  gradientAngle: '0',
  quietZone: '4',
  frame: 'none',
  logoSize: '20',
};

const sentAlong: Record<string, (code: QrCode) => Sent> = {
  'PATCH /api/v1/qrcodes/:id': () => ({ body: { name: 'Renamed' } }),
  'DELETE /api/v1/qrcodes/:id': () => ({}),
  'POST /api/v1/qrcodes/:id/restore': () => ({}),
  'POST /api/v1/qrcodes/:id/versions/:version/restore': () => ({ body: {} }),
  'PUT /api/v1/qrcodes/:id/design': () => ({ body: { moduleShape: 'dots' } }),
  'DELETE /api/v1/qrcodes/:id/design': () => ({}),
  'PUT /api/v1/qrcodes/:id/design/logo': () => ({ file: png() }),
  'DELETE /api/v1/qrcodes/:id/design/logo': () => ({}),
  'PUT /api/v1/qrcodes/:id/file': () => ({ file: pdf() }),
  'DELETE /api/v1/qrcodes/:id/file': () => ({}),
  'PUT /api/v1/qrcodes/:id/photo': () => ({ file: png() }),
  'DELETE /api/v1/qrcodes/:id/photo': () => ({}),
  'PUT /api/v1/qrcodes/:id/page/logo': () => ({ file: png(), query: '?alt=Mine' }),
  'DELETE /api/v1/qrcodes/:id/page/logo': () => ({}),
  'PATCH /api/v1/qrcodes/:id/ending': () => ({ body: { afterExpiryUrl: 'https://example.com/closed' } }),
  'PATCH /api/v1/qrcodes/:id/page': () => ({ body: { title: 'Welcome' } }),
  'POST /codes/:id/favorite': () => ({ form: { isFavorite: 'true' } }),
  'POST /codes/:id/visibility': () => ({ form: { isPublic: 'false' } }),
  'POST /codes/:id/renew': () => ({ form: {} }),
  'POST /codes/:id/edit': () => ({ form: editFields }),
  // The first version has created it, and the second has added a logo to its page.
  'POST /codes/:id/history': () => ({ form: { version: '2' } }),
  'POST /codes/:id/design': () => ({ form: designFields }),
  'POST /codes/:id/expire': () => ({ form: {} }),
  'POST /codes/:id/design/delete': () => ({ form: {} }),
  'POST /codes/:id/design/restore': () => ({ form: {} }),
  'POST /codes/:id/file': () => ({ upload: { field: 'file', file: pdf() } }),
  'POST /codes/:id/file/delete': () => ({ form: {} }),
  'POST /codes/:id/file/restore': () => ({ form: {} }),
  'POST /codes/:id/photo': () => ({ upload: { field: 'photo', file: png() } }),
  'POST /codes/:id/photo/delete': () => ({ form: {} }),
  'POST /codes/:id/photo/restore': () => ({ form: {} }),
  'POST /codes/:id/design/preview': () => ({ form: designFields }),
  'POST /codes/:id/design/style': ({ id }) => ({ form: { ...designFields, styleName: id } }),
  'POST /codes/:id/page-logo': () => ({ form: { alt: 'Mine' } }),
  'POST /codes/:id/page-logo/delete': () => ({ form: {} }),
  'POST /codes/new/design/preview': () => ({ form: designFields }),
  'POST /codes/styles/new': () => ({ form: designFields }),
  'POST /codes/styles/new/design/preview': () => ({ form: designFields }),
  'POST /codes/brand': () => ({ form: {} }),
  'POST /codes/styles/apply': () => ({ form: {} }),
  'POST /codes/styles/:id/design': () => ({ form: designFields }),
  'POST /codes/styles/:id/design/preview': () => ({ form: designFields }),
  'POST /codes/styles/:id/rename': ({ id }) => ({ form: { name: `Renamed ${id}` } }),
  'POST /codes/styles/:id/default': () => ({ form: { isDefault: 'false' } }),
  'POST /codes/styles/:id/delete': () => ({ form: {} }),
  'POST /codes/:id/duplicate': () => ({ form: {} }),
  'POST /codes/trash/:id/restore': () => ({ form: {} }),
  'POST /codes/trash/:id/delete': ({ name }) => ({ form: { confirmation: name } }),
  'POST /codes/trash/restore': () => ({ form: {} }),
  'POST /codes/trash/delete': () => ({ form: { confirmation: 'delete' } }),
  'POST /codes/trash/empty': () => ({ form: { confirmation: 'delete' } }),
  'POST /codes/:id/delete': () => ({ form: {} }),
  'POST /keys/:id/rename': () => ({ form: { name: 'Renamed' } }),
  'POST /keys/:id/revoke': () => ({ form: {} }),
  'POST /api/v1/qrcodes': () => ({ body: { name: 'Mine', content: 'https://example.com/mine' } }),
  'POST /api/v1/qrcodes/bulk': () => ({
    body: { qrCodes: [{ name: 'Mine', content: 'https://example.com/mine' }] },
  }),
  'PATCH /api/v1/qrcodes/bulk': ({ id }) => ({ body: { qrCodes: [{ id, name: 'Renamed' }] } }),
  'DELETE /api/v1/qrcodes/bulk': ({ id }) => ({ body: { qrCodeIds: [id] } }),
  'POST /api/v1/qrcodes/labels': ({ id }) => ({ body: { qrCodeIds: [id], sheet: 'L7160' } }),
  'POST /api/v1/qrcodes/files': ({ id }) => ({ body: { qrCodeIds: [id], format: 'svg' } }),
  'POST /api/v1/styles': () => ({ body: { name: 'Mine' } }),
  'PATCH /api/v1/styles/:id': ({ id }) => ({ body: { name: `Renamed ${id}` } }),
  'DELETE /api/v1/styles/:id': () => ({}),
  'PUT /api/v1/styles/:id/logo': () => ({ file: png() }),
  'DELETE /api/v1/styles/:id/logo': () => ({}),
  'POST /api/v1/styles/:id/apply': ({ id }) => ({ body: { qrCodeIds: [id] } }),
  'POST /api/v1/webhooks': () => ({
    body: { url: 'https://example.com/hook', name: 'Mine', events: ['code.created'] },
  }),
  'PATCH /api/v1/webhooks/:id': () => ({ body: { name: 'Renamed' } }),
  'DELETE /api/v1/webhooks/:id': () => ({}),
  'POST /api/v1/webhooks/:id/rotate-secret': () => ({}),
  'POST /api/v1/webhooks/:id/test': () => ({}),
  'POST /api/v1/webhooks/:id/replay': () => ({
    body: { from: new Date(Date.now() - 60_000).toISOString(), to: new Date().toISOString() },
  }),
  'POST /api/v1/webhook-deliveries/:id/retry': () => ({}),
  'POST /webhooks/new': () => ({ form: endpointFields }),
  'POST /webhooks/:id/edit': () => ({ form: endpointFields }),
  'POST /webhooks/:id/state': () => ({ form: { isEnabled: 'false' } }),
  'POST /webhooks/:id/test': () => ({ form: {} }),
  'POST /webhooks/:id/rotate': () => ({ form: {} }),
  'POST /webhooks/:id/replay': () => ({ form: today() }),
  'POST /webhooks/:id/delete': () => ({ form: {} }),
  'POST /webhooks/deliveries/:id/retry': () => ({ form: {} }),
  'POST /signup': () => ({ form: {} }),
  'POST /signin': () => ({ form: {} }),
  'POST /signout': () => ({ form: {} }),
  'POST /signin/link/:token': () => ({ form: { newPassword: 'correct horse battery' } }),
  'POST /signup/link/:token': () => ({ form: { newPassword: 'correct horse battery' } }),
  'POST /signin/forgot': () => ({ form: {} }),
  'POST /signin/confirm/:token': () => ({ form: {} }),
  'POST /signin/second': () => ({ form: {} }),
  'POST /signin/oidc': () => ({ form: {} }),
  'POST /signin/passkey': () => ({ form: {} }),
  'POST /signin/passkey/options': () => ({ form: {} }),
  'POST /account/security/sessions/end': () => ({ form: {} }),
  'POST /account/security/totp': () => ({ form: {} }),
  'POST /account/security/totp/confirm': () => ({ form: {} }),
  'POST /account/security/totp/cancel': () => ({ form: {} }),
  'POST /account/security/totp/delete': () => ({ form: {} }),
  'POST /account/security/recovery': () => ({ form: {} }),
  'POST /account/security/passkeys/options': () => ({ form: {} }),
  'POST /account/security/passkeys': () => ({ form: {} }),
  'POST /account/security/passkeys/delete': () => ({ form: {} }),
  'POST /account/security/identity': () => ({ form: {} }),
  'POST /account/security/identity/confirm': () => ({ form: {} }),
  'POST /account/security/identity/delete': () => ({ form: {} }),
  'POST /codes/new': () => ({ form: {} }),
  'POST /codes/new/file': () => ({ upload: { field: 'file', file: pdf() } }),
  'POST /codes/preview': () => ({ form: {} }),
  'POST /demo/leave': () => ({ form: {} }),
  'POST /codes/selection': () => ({ form: {} }),
  'POST /codes/labels.pdf': () => ({ form: { sheet: 'L7160', start: '1' } }),
  'POST /codes/files.zip': () => ({ form: { format: 'svg' } }),
  'POST /keys': () => ({ form: { name: 'Mine' } }),
  'POST /account/email': () => ({ form: {} }),
  'POST /account/language': () => ({ form: {} }),
  'POST /workspace/export': () => ({ form: {} }),
  'POST /workspace/name': () => ({ form: { name: 'Renamed' } }),
  'POST /workspace/address': () => ({ form: { slug: 'moved' } }),
  'POST /workspace/delete': () => ({ form: {} }),
  'POST /workspaces/new': () => ({ form: {} }),
  'POST /account/notices': () => ({ form: {} }),
  'POST /account/confirm': () => ({ form: {} }),
  'POST /account/password': () => ({ form: {} }),
  'POST /account/delete': () => ({ form: {} }),
  'POST /unsubscribe/:token': () => ({ form: {} }),
  'POST /members/invitations': () => ({ form: { emails: 'new@example.com', role: 'viewer', days: '1' } }),
  'POST /members/links': () => ({ form: { uses: '1', linkRole: 'viewer', linkDays: '1' } }),
  'POST /members/invitations/:id/revoke': () => ({ form: {} }),
  'POST /members/leave': () => ({ form: {} }),
  'POST /members/:id/role': () => ({ form: { role: 'viewer' } }),
  'POST /members/:id/remove': () => ({ form: {} }),
  'POST /members/:id/hand-over': () => ({ form: {} }),
  'POST /invitations/:token': () => ({ form: {} }),
  'POST /invitations/:token/switch': () => ({ form: {} }),
  'POST /invitations/:token/account': () => ({ form: { newPassword: 'correct horse battery' } }),
};

export type IdKind =
  | 'code'
  | 'trashed'
  | 'key'
  | 'webhook'
  | 'delivery'
  | 'style'
  | 'application'
  | 'logo'
  | 'member'
  | 'invitation';

/** The resource that the id in a path belongs to. */
const ids: Record<string, IdKind> = {
  '/api/v1/webhooks/:id': 'webhook',
  '/webhooks/:id': 'webhook',
  '/api/v1/webhook-deliveries/:id': 'delivery',
  '/webhooks/deliveries/:id': 'delivery',
  '/api/v1/styles/:id': 'style',
  '/codes/styles/:id': 'style',
  '/api/v1/style-applications/:id': 'application',
  '/codes/styles/applications/:id': 'application',
  '/api/v1/qrcodes/:id': 'code',
  '/api/v1/qrcodes/:id/restore': 'trashed',
  '/codes/trash/:id': 'trashed',
  '/codes/brand/logos/:id': 'logo',
  '/codes/:id': 'code',
  '/keys/:id': 'key',
  '/members/:id': 'member',
  '/members/invitations/:id': 'invitation',
};

const file = 'test/hostile/route-requests.ts';

export function sentTo({ method, path }: Route, code: QrCode): Sent {
  if (method === 'GET' || method === 'HEAD') return {};
  const found = sentAlong[`${method} ${path}`];
  if (!found) throw new Error(`Add the body or form of a valid ${method} ${path} to sentAlong in ${file}.`);
  return found(code);
}

/** The address of a route for an id, and for a version that every code has. */
export const addressOf = ({ path }: Pick<Route, 'path'>, id: string) =>
  path.replace(':id', id).replace(':version', '1');

export function idKind({ method, path }: Route): IdKind {
  const [start = '', rest = ''] = path.split(/(?<=:id)/);
  const kind = ids[path] ?? ids[start];
  if (!kind || rest.replace(':version', '').includes(':'))
    throw new Error(`Add what the id in ${method} ${path} belongs to, to ids in ${file}.`);
  return kind;
}

export const isOfContacts = ({ path }: Route) => /\/photo(?:\/|$)/.test(path);

/**
 * The token of a link is no id: see test/web/sign-in/sign-in-links.test.ts, forgot-password.test.ts,
 * test/workers/notice-handler.test.ts and test/workspaces/invitations.test.ts.
 */
export const hasId = ({ path }: Route) =>
  /[:(*]/.test(
    path.replace(
      /\/(?:signin\/(?:link|confirm)|signup\/link|unsubscribe|invitations)\/:token|^\/docs\/:page/,
      '',
    ),
  );

/** Ids in a query or a form. `:id` is that of a code, `:scan` that of a scan, and `:delivery` that
 * of a delivery, `:style` that of a style, `:endpoint` that of a webhook endpoint; `:mine` is a code of the caller, and `:hook` a webhook endpoint. */
export const idsElsewhere: {
  of: string;
  method: string;
  path: string;
  form?: Record<string, string>;
  body?: Record<string, string>;
}[] = [
  { of: 'listQrCodes cursor', method: 'GET', path: '/api/v1/qrcodes?cursor=:id' },
  { of: 'listQrCodeScans cursor', method: 'GET', path: '/api/v1/qrcodes/:mine/scans?cursor=:scan' },
  {
    of: 'listWebhookDeliveries cursor',
    method: 'GET',
    path: '/api/v1/webhooks/:hook/deliveries?cursor=:delivery',
  },
  {
    of: 'createStyle qrCodeId',
    method: 'POST',
    path: '/api/v1/styles',
    body: { name: 'Mine', qrCodeId: ':id' },
  },
  { of: 'listChanges cursor', method: 'GET', path: '/api/v1/audit?cursor=:id' },
  { of: 'listChanges actorId', method: 'GET', path: '/api/v1/audit?actorId=:id' },
  { of: 'exportChanges actorId', method: 'GET', path: '/api/v1/audit.csv?actorId=:id' },
  { of: 'listStyles cursor', method: 'GET', path: '/api/v1/styles?cursor=:style' },
  { of: 'listWebhooks cursor', method: 'GET', path: '/api/v1/webhooks?cursor=:endpoint' },
  { of: 'createStyle codeId', method: 'POST', path: '/api/v1/styles', body: { name: 'Mine', codeId: ':id' } },
  { of: 'page styleId', method: 'GET', path: '/codes/:mine/design?styleId=:style' },
  { of: 'page styleId', method: 'GET', path: '/codes/:mine/design/preview.svg?styleId=:style' },
  {
    of: 'page styleId',
    method: 'POST',
    path: '/codes/:mine/design',
    form: { ...designFields, styleId: ':style' },
  },
  {
    of: 'page codeIds',
    method: 'POST',
    path: '/codes/styles/apply',
    form: { codeIds: ':id', styleId: ':style' },
  },
  {
    of: 'page codeIds',
    method: 'POST',
    path: '/codes/styles/apply',
    form: { codeIds: ':mine', styleId: ':style' },
  },
  { of: 'page code', method: 'GET', path: '/codes/styles/apply?code=:id' },
  { of: 'page before', method: 'GET', path: '/webhooks/:hook?before=:delivery' },
  { of: 'page after', method: 'GET', path: '/codes?after=0-:id' },
  { of: 'page before', method: 'GET', path: '/codes?before=0-:id' },
  { of: 'page after', method: 'GET', path: '/codes/trash?after=1700000000000-:id' },
  { of: 'page before', method: 'GET', path: '/codes/trash?before=1700000000000-:id' },
  { of: 'page deleted', method: 'GET', path: '/codes?deleted=:id' },
  { of: 'page before', method: 'GET', path: '/codes/:mine?before=:scan' },
  { of: 'page person', method: 'GET', path: '/history?person=:id' },
  { of: 'page person', method: 'GET', path: '/history.csv?person=:id' },
  { of: 'page before', method: 'GET', path: '/history?before=:id' },
  { of: 'page code', method: 'GET', path: '/codes/preview.svg?code=:id' },
  {
    of: 'page code',
    method: 'POST',
    path: '/codes/preview',
    form: { type: 'text', content: 'Hello', code: ':id' },
  },
  { of: 'page code', method: 'GET', path: '/codes/selection?code=:id' },
  { of: 'page code', method: 'GET', path: '/codes/labels.pdf?code=:id&sheet=L7160&start=1' },
  { of: 'page code', method: 'GET', path: '/codes/files.zip?code=:id&format=svg' },
  {
    of: 'page removesFile',
    method: 'POST',
    path: '/codes/:mine/edit',
    form: { ...editFields, removesFile: ':id' },
  },
  { of: 'page next', method: 'GET', path: '/signin?next=/codes/:id' },
  { of: 'page next', method: 'GET', path: '/signup?next=/codes/:id' },
  {
    of: 'page back',
    method: 'POST',
    path: '/codes/:mine/favorite',
    form: { isFavorite: 'true', back: '/codes/:id' },
  },
];

/** Parameters of the pages that are never ids, except for `session`: test/web/security/two-factor.test.ts gives that of a stranger. */
export const noIds = `
  access all alt backgroundColor categories category chosen code codes confirmation copied csrfToken days deletePassword email emailPassword emails
  encode ended endsWithin firstDay foregroundColor formToken format from hasPageColor isDefault isEnabled isFavorite isPublic job keep kind
  language lastDay linkDays linkRole moduleShape name newEmail newPassword note oldPassword page pageColor pageLogoAlt pageTitle passkey passkeyPassword password perPage period plan preset proof purpose q
  queue reason recoveryPassword removeLogo removePassword response review role session sizeMm seen sizeShown slug state styleName switch timeZone to topLevel totpPassword type undo
  url uses value version
`
  .trim()
  .split(/\s+/);
