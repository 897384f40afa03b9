import { digestOf, loadSecrets, newToken } from '../../src/accounts/secrets.ts';
import { findOrCreateUser, findUserByEmail } from '../../src/accounts/users.ts';
import { normalizeDesign } from '../../src/codes/design/design.ts';
import { insertStyle } from '../../src/codes/styles/styles.ts';
import { brandColor } from '../../src/demo/demo-codes.ts';
import { type DemoDesign, demoDesigns } from '../../src/demo/demo-designs.ts';
import { defaultLimits } from '../../src/limits.ts';
import { inviteByLink, inviteByMail } from '../../src/workspaces/invitations.ts';
import { addMember } from '../../src/workspaces/members.ts';
import { apiClient } from '../support/api-client.ts';
import { demoEmail, type DemoSite } from './demo-site.ts';
import { ownWorkspaceId } from '../../src/workspaces/workspace.ts';

/** What the demo has none of, for pages of the contact sheet. */
export interface Extras {
  styleId: string;
  fileCode: { id: string };
  linksToken: string;
  expiredToken: string;
  endpointId: string;
  deliveryId: string;
  workspaceId: string;
  memberId: string;
  invitationToken: string;
}

const minuteMs = 60_000;

/** Templates, a file, an expired code, a webhook with deliveries, an authenticator app that is being set up, and people. */
export async function addExtras(site: DemoSite): Promise<Extras> {
  const { service, now } = site;
  const { db } = service;
  const user = await findUserByEmail(db, demoEmail);
  const key = await service.makeKey({ email: demoEmail });
  const api = apiClient(service.url, key);

  const addStyle = (name: string, design: DemoDesign, foregroundColor: string, isDefault: boolean) =>
    insertStyle(
      db,
      ownWorkspaceId(user),
      {
        name,
        design: normalizeDesign(design),
        colors: { foregroundColor, backgroundColor: '#ffffff' },
        isDefault,
      },
      now,
    );
  const style = await addStyle('Paper cups', demoDesigns.cups, '#7a1f4b', false);
  await addStyle('Window stickers', demoDesigns.window, '#0b3b34', true);

  const post = async (path: string, body: object) => (await api(path, { method: 'POST', body })).body;
  const endpoint = await post('/webhooks', {
    name: 'Till at the counter',
    url: 'https://till.example.com/hooks/qrelay',
    events: ['code.created', 'code.updated', 'code.expiring'],
  });
  const fileCode = await post('/qrcodes', { name: 'Menu, autumn', content: 'https://example.com/menu' });
  await api(`/qrcodes/${fileCode.id}/file?name=Menu-autumn`, {
    method: 'PUT',
    raw: Buffer.from('%PDF-1.4\nstartxref\n0\n%%EOF\n'),
    headers: { 'Content-Type': 'application/pdf' },
  });
  await api(`/qrcodes/${fileCode.id}`, { method: 'PATCH', body: { category: 'Café' } });
  const links = await post('/qrcodes', {
    name: 'Find us online',
    type: 'social',
    content: 'https://instagram.com/fernweh\nhttps://youtube.com/@fernweh\nhttps://fernweh.example/shop',
  });
  await db('qr_codes')
    .where({ id: links.id })
    .update({ share_token: '0123456789', page_title: 'Fernweh Roastery' });
  const expired = await post('/qrcodes', { name: 'Summer sale', content: 'https://example.com/sale' });
  const expiredToken = '1234567890';
  const yesterday = new Date(now.getTime() - 24 * 60 * minuteMs);
  await db('qr_codes').where({ id: expired.id }).update({
    share_token: expiredToken,
    expires_at: yesterday,
    page_title: 'Summer at Fernweh',
    page_color: brandColor,
  });
  await db('qr_codes').where({ id: fileCode.id }).update({ share_token: '2345678901' });

  const ids = (await db('webhook_deliveries').orderBy('id').pluck('id')) as string[];
  for (const [index, id] of ids.entries()) await makeAttempts(id, ids.length - index);
  const secrets = await loadSecrets(db);
  await db('totp_secrets').insert({
    user_id: user.id,
    sealed: secrets.sealTotp('JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP'),
    started_at: now,
  });
  const workspaceId = ownWorkspaceId(user);
  const { id: memberId } = await findOrCreateUser(db, 'mara@fernweh.example', now);
  await addMember(db, { workspaceId, userId: memberId, role: 'editor' }, now);
  const inviting = { workspaceId, createdBy: user.id, days: 7, ofPlans: defaultLimits } as const;
  await inviteByMail(db, { ...inviting, role: 'viewer', emails: ['studio@example.com'] }, now);
  const invitationToken = newToken();
  const tokenHash = digestOf(invitationToken);
  await inviteByLink(db, { ...inviting, role: 'editor', maxUses: 3, note: 'Freelancers', tokenHash }, now);
  await api(`/qrcodes/${fileCode.id}`, { method: 'PATCH', body: { name: 'Menu, winter', size: 1_024 } });
  const old = await post('/qrcodes', { name: 'Spring sale', content: 'https://example.com/spring' });
  await api(`/qrcodes/${old.id}`, { method: 'DELETE' });
  // Its name is random.
  await db('api_keys').where({ user_id: user.id }).delete();
  return {
    styleId: style.id,
    fileCode,
    linksToken: '0123456789',
    expiredToken,
    endpointId: endpoint.id,
    deliveryId: ids[0] ?? '',
    workspaceId,
    memberId,
    invitationToken,
  };

  /** The first delivery failed once; all of them succeeded, an hour after each other. */
  async function makeAttempts(id: string, hoursAgo: number): Promise<void> {
    const happenedAt = new Date(now.getTime() - hoursAgo * 60 * minuteMs);
    const isFirst = id === ids[0];
    const at = (minutes: number) => new Date(happenedAt.getTime() + minutes * minuteMs);
    await db('webhook_deliveries')
      .where({ id })
      .update({
        happened_at: happenedAt,
        status: 'delivered',
        attempts: isFirst ? 2 : 1,
        finished_at: at(1),
      });
    const failure = { status_code: 503, response: 'Closed until ten', error: null };
    const success = { status_code: 200, response: 'OK', error: null };
    await db('webhook_attempts').insert([
      ...(isFirst ? [{ delivery_id: id, attempted_at: happenedAt, duration_ms: 812, ...failure }] : []),
      { delivery_id: id, attempted_at: at(1), duration_ms: 96, ...success },
    ]);
  }
}
