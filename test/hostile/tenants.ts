import { v7 as uuidv7 } from 'uuid';
import { createApiKey } from '../../src/accounts/api-keys.ts';
import { defaultLimits } from '../../src/limits.ts';
import { startSession } from '../../src/accounts/sessions.ts';
import { findOrCreateUser, type User } from '../../src/accounts/users.ts';
import { createCode, type NewCode } from '../../src/codes/codes.ts';
import type { QrCode } from '../../src/codes/qr-code.ts';
import { defaultDesign } from '../../src/codes/design/design.ts';
import { savePageLogo } from '../../src/codes/share-page.ts';
import { newLogo, saveLogo } from '../../src/codes/design/stored-logo.ts';
import { addApplication } from '../../src/codes/styles/style-applications.ts';
import { insertStyle } from '../../src/codes/styles/styles.ts';
import { Scan } from '../../src/scans/scan.ts';
import { createPing } from '../../src/webhooks/deliveries.ts';
import { createEndpoint } from '../../src/webhooks/endpoints.ts';
import { createSecretBox } from '../../src/webhooks/signing.ts';
import { digestOf, loadSecrets, newToken } from '../../src/accounts/secrets.ts';
import { png } from '../codes/files/logo-files.ts';
import { scanRow } from '../support/scan-rows.ts';
import type { TestService } from '../support/service.ts';
import { inviteByLink } from '../../src/workspaces/invitations.ts';
import { addMember } from '../../src/workspaces/members.ts';
import { ownWorkspaceId, setPlan } from '../../src/workspaces/workspace.ts';

const visitorCookie = '__Host-qrelay-visitor=somebody';
/** Differs in each response, so it is not compared. */
const ofTheRequest = ['date', 'x-request-id', 'x-ratelimit-remaining', 'x-ratelimit-reset', 'retry-after'];

export interface Tenant {
  user: User;
  key: string;
  keyId: string;
}

/** The response, without what differs each time. */
export interface Answer {
  status: number;
  headers: Record<string, string>;
  text: string;
}

interface Question {
  method: string;
  path: string;
  /** The default is neither signed in nor with a key. */
  as?: Tenant | undefined;
  accept?: string;
  form?: Record<string, string> | undefined;
  body?: object | undefined;
  file?: Buffer | undefined;
  upload?: { field: string; file: Buffer } | undefined;
}

/** Two owners on one service, who must not learn about each other. */
export function tenants(service: TestService) {
  const { db, url } = service;
  const now = () => new Date();
  const sessions = new Map<Tenant, Promise<string>>();
  let codes = 0;
  let token: Promise<string> | undefined;

  async function join(email: string): Promise<Tenant> {
    const user = await findOrCreateUser(db, email, now());
    await setPlan(db, ownWorkspaceId(user), 'pro');
    const key = await createApiKey(db, ownWorkspaceId(user), `Key of ${email}`, now());
    return { user, key, keyId: await newest(user) };
  }

  async function newest(user: User): Promise<string> {
    const row = (await db('api_keys').where({ user_id: user.id }).orderBy('id', 'desc').first('id')) as {
      id: string;
    };
    return row.id;
  }

  return {
    join,
    /** A code with a scan and a logo on its share page, identified by its name. */
    async makeCode(
      { user }: Tenant,
      fields: Partial<NewCode> = {},
    ): Promise<{ code: QrCode; scanId: string }> {
      codes += 1;
      const code = await createCode(
        db,
        ownWorkspaceId(user),
        {
          name: `Secret ${codes}`,
          type: 'url',
          content: 'https://example.com/secret',
          foregroundColor: '#000000',
          backgroundColor: '#ffffff',
          size: 128,
          errorCorrection: 'M',
          category: 'Secret category',
          ...fields,
        },
        { lifetimeDays: 365, limits: defaultLimits, now: now() },
      );
      const scan = scanRow(code.id, now().toISOString(), { city: 'Secret City' });
      await Scan.record(db, [scan]);
      const logo = { newLogo: newLogo(ownWorkspaceId(user), png()), alt: 'Secret caption' };
      await savePageLogo(db, code, logo, now());
      return { code, scanId: scan.id };
    },
    async makeKey({ user }: Tenant): Promise<string> {
      await createApiKey(db, ownWorkspaceId(user), 'Another key of theirs', now());
      return newest(user);
    },
    /** A webhook endpoint with a delivery. */
    async makeWebhook({ user }: Tenant): Promise<{ webhook: string; delivery: string }> {
      const { endpoint } = await createEndpoint(
        db,
        ownWorkspaceId(user),
        {
          name: 'Secret webhook',
          url: 'https://example.com/secret',
          events: ['code.deleted'],
          codeIds: null,
          categories: null,
        },
        { box: createSecretBox((await loadSecrets(db)).webhookKeys), quota: 1_000, now: now() },
      );
      return { webhook: endpoint.id, delivery: (await createPing(db, endpoint)).id };
    },
    /** A link, of which the limits of a workspace allow as many as a test makes. */
    async makeInvitation({ user }: Tenant): Promise<string> {
      const made = await inviteByLink(
        db,
        {
          workspaceId: ownWorkspaceId(user),
          createdBy: user.id,
          role: 'viewer',
          days: 1,
          maxUses: 1,
          tokenHash: digestOf(newToken()),
          ofPlans: defaultLimits,
        },
        now(),
      );
      if ('refused' in made) throw new Error(made.refused);
      return made.id;
    },
    /** Somebody else in the workspace. */
    async makeMember({ user }: Tenant): Promise<string> {
      const { id } = await findOrCreateUser(db, `member-${uuidv7()}@example.com`, now());
      await addMember(db, { workspaceId: ownWorkspaceId(user), userId: id, role: 'editor' }, now());
      return id;
    },
    /** After the workspace was handed over. */
    async makeOwner({ user }: Tenant): Promise<void> {
      await db('workspace_members')
        .where({ workspace_id: user.id, user_id: user.id })
        .update({ role: 'owner' });
    },
    async makeLogo({ user }: Tenant): Promise<string> {
      const logo = newLogo(ownWorkspaceId(user), new Uint8Array(png()));
      await db.transaction((transaction) => saveLogo(transaction, ownWorkspaceId(user), logo, now()));
      return logo.id;
    },
    /** A style that is being applied to a code. */
    async makeStyle({ user }: Tenant, codeId: string): Promise<{ style: string; application: string }> {
      const input = { name: `Secret style ${uuidv7()}`, design: defaultDesign, isDefault: false };
      const { id: styleId } = await insertStyle(db, ownWorkspaceId(user), input, now());
      const wanted = { styleId, codeIds: [codeId], keepsDesigns: false };
      return {
        style: styleId,
        application: String(await addApplication(db, ownWorkspaceId(user), wanted, now())),
      };
    },
    /** Forms send the CSRF token of a page. */
    async ask({
      method,
      path,
      as,
      accept = 'text/html',
      form,
      body,
      file,
      upload,
    }: Question): Promise<Answer> {
      const isApi = path.startsWith('/api/');
      const session = as && !isApi && `__Host-qrelay-session=${await sessionOf(as)}`;
      const response = await fetch(url + path, {
        method,
        redirect: 'manual',
        headers: {
          Accept: accept,
          'Accept-Encoding': 'identity',
          ...(isApi
            ? as && { Authorization: `Bearer ${as.key}` }
            : { Cookie: [visitorCookie, session].filter(Boolean).join('; ') }),
          ...(body && { 'Content-Type': 'application/json' }),
        },
        ...(body && { body: JSON.stringify(body) }),
        ...(file && { body: new Uint8Array(file) }),
        ...(upload && { body: await uploadForm(upload) }),
        ...(form && { body: new URLSearchParams({ csrfToken: await csrfToken(), ...form }) }),
      });
      const isStream = response.headers.get('content-type')?.startsWith('text/event-stream');
      if (isStream) await response.body?.cancel();
      const requestId = response.headers.get('x-request-id') ?? '';
      const text = isStream ? '' : withoutToken(await response.text()).replaceAll(requestId || '\0', '');
      const headers = Object.fromEntries(
        [...response.headers].filter(([name]) => !ofTheRequest.includes(name)),
      );
      return { status: response.status, headers, text };
    },
  };

  async function uploadForm({ field, file }: { field: string; file: Buffer }): Promise<FormData> {
    const form = new FormData();
    form.set('csrfToken', await csrfToken());
    form.set(field, new Blob([new Uint8Array(file)]), 'upload');
    return form;
  }

  function sessionOf(tenant: Tenant): Promise<string> {
    const session = sessions.get(tenant) ?? startSession(db, tenant.user.id, now());
    sessions.set(tenant, session);
    return session;
  }

  /** It belongs to the visitor's cookie, which is always the same. */
  function csrfToken(): Promise<string> {
    token ??= readToken();
    return token;
  }

  async function readToken(): Promise<string> {
    const page = await (await fetch(`${url}/signin`, { headers: { Cookie: visitorCookie } })).text();
    return /name="csrfToken" value="([^"]+)"/.exec(page)?.[1] ?? '';
  }
}

/** The response as for any id: the requested id may be repeated, whoever owns it. */
export function withoutId({ status, headers, text }: Answer, id: string): Answer {
  // The flash cookie contains the requested path.
  const readable = (given: string) =>
    given.replace(/(?<=-flash=)[\w-]+/, (flash) => Buffer.from(flash, 'base64url').toString());
  const blank = (given: string) => readable(given).replaceAll(new RegExp(id, 'gi'), ':id');
  return {
    status,
    headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, blank(value)])),
    text: blank(text),
  };
}

/** The token is that of the session. */
function withoutToken(page: string): string {
  return page.replaceAll(/(name="csrfToken" value="|data-csrf=")[^"]+/g, '$1');
}
