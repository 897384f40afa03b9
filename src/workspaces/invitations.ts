import { Model, snakeCaseMappers } from 'objection';
import { v7 as uuidv7, validate as isUuid } from 'uuid';
import { type Limits, type PlanLimits, limitsOf } from '../limits.ts';
import { dayMs } from '../runtime/units.ts';
import { type Database, inTransaction } from '../store/database.ts';
import { findRole, type Role } from './members.ts';
import { lockOwner, readMailLimit } from './owned-workspaces.ts';
import {
  findWorkspace,
  isWorkspaceBlocked,
  isWorkspaceBlockedSql,
  lockWorkspace,
  type WorkspaceId,
} from './workspace.ts';

export const maxUsesOfLink = 100;
export const maxNoteLength = 100;
export const invitationDays = [1, 7, 30] as const;

export class Invitation extends Model {
  static override tableName = 'invitations';
  static override columnNameMappers = snakeCaseMappers();

  declare id: string;
  declare workspaceId: WorkspaceId;
  declare role: Role;
  /** Null for a link. Otherwise only an account with this address can accept. */
  declare email: string | null;
  /** Null until the mail is written. */
  declare tokenHash: Buffer | null;
  declare expiresAt: Date;
  /** What an owner noted about a link, to tell it from others. */
  declare note: string | null;
  declare maxUses: number;
  declare uses: number;
  declare createdBy: string;
  declare createdAt: Date;
  declare revokedAt: Date | null;

  /** Invitations that owners see, and can revoke. */
  static open(db: Database, now: Date) {
    return Invitation.query(db)
      .where('invitations.expires_at', '>', now)
      .whereNull('invitations.revoked_at')
      .whereRaw('invitations.uses < invitations.max_uses');
  }

  /** Those that can be accepted: neither who invites nor the workspace is blocked. */
  static valid(db: Database, now: Date) {
    return Invitation.open(db, now)
      .whereRaw(
        `NOT EXISTS (SELECT FROM blocks WHERE kind = 'account' AND value = invitations.created_by::text)`,
      )
      .whereRaw(`NOT ${isWorkspaceBlockedSql('invitations.workspace_id')}`);
  }
}

/** What `readUse` counts, as columns. Both parameters are SQL. */
export const invitationUseSql = (workspaceId: string, at: string) =>
  `(SELECT count(*)::int FROM invitations WHERE workspace_id = ${workspaceId}
      AND expires_at > ${at} AND revoked_at IS NULL AND uses < max_uses) AS invitations,
   (SELECT count(*)::int FROM invitations WHERE workspace_id = ${workspaceId}
      AND email IS NOT NULL AND created_at > ${at} - interval '1 day') AS "invitationMails"`;

interface Inviting {
  workspaceId: WorkspaceId;
  /** The owner who invites. */
  createdBy: string;
  role: Role;
  days: number;
  ofPlans: PlanLimits;
}

/** `members`: of the workspace, with those who are invited by mail. `ownMailsPerDay`: of who invites, in all workspaces. */
type RefusedInvitation =
  | { refused: 'not-owner' | 'blocked' }
  | { refused: 'members' | 'invitations' | 'invitationMailsPerDay' | 'ownMailsPerDay'; limit: number };

/**
 * Invitations for addresses, whose tokens the worker makes when it writes the mails. They replace earlier ones to the same
 * addresses. All of them or none, so that nobody has to find out who was left out.
 */
export async function inviteByMail(
  db: Database,
  { emails, ...inviting }: Inviting & { emails: string[] },
  now: Date,
): Promise<{ ids: string[] } | RefusedInvitation> {
  return invite(db, inviting, { mails: emails }, now, async (transaction) => {
    const rows = emails.map((email) => ({ ...rowOf(inviting, now), email, maxUses: 1, tokenHash: null }));
    if (rows.length > 0) await Invitation.query(transaction).insert(rows);
    return { ids: rows.map(({ id }) => id) };
  });
}

interface NewLink extends Inviting {
  tokenHash: Buffer;
  maxUses: number;
  note?: string | null;
}

/** A link for whoever has it. Only the hash of its token is stored. */
export async function inviteByLink(
  db: Database,
  { tokenHash, maxUses, note = null, ...inviting }: NewLink,
  now: Date,
): Promise<{ id: string } | RefusedInvitation> {
  return invite(db, inviting, { mails: [] }, now, async (transaction) => {
    const row = { ...rowOf(inviting, now), email: null, note, maxUses, tokenHash };
    await Invitation.query(transaction).insert(row);
    return { id: row.id };
  });
}

const rowOf = ({ workspaceId, createdBy, role, days }: Inviting, now: Date) => ({
  id: uuidv7({ msecs: now.getTime() }),
  workspaceId,
  role,
  createdBy,
  createdAt: now,
  expiresAt: new Date(now.getTime() + days * dayMs),
});

/** Checks role and limits under the lock of the workspace, so that they hold for parallel requests. */
async function invite<Made>(
  db: Database,
  { workspaceId, createdBy, ofPlans }: Inviting,
  { mails }: { mails: string[] },
  now: Date,
  insert: (transaction: Database) => Promise<Made>,
): Promise<Made | RefusedInvitation> {
  return db.transaction(async (transaction) => {
    if (mails.length > 0) await lockOwner(transaction, createdBy);
    await lockWorkspace(transaction, workspaceId);
    if ((await findRole(transaction, workspaceId, createdBy)) !== 'owner') return { refused: 'not-owner' };
    if (await isWorkspaceBlocked(transaction, workspaceId)) return { refused: 'blocked' };
    const limits = limitsOf(await findWorkspace(transaction, workspaceId), ofPlans);
    const use = await readInvitationUse(transaction, { workspaceId, mails }, now);
    const full = fullLimit(limits, use, mails.length);
    if (full) return { refused: full, limit: limits[full] };
    const mailLimit =
      mails.length > 0 ? await takeMails(transaction, createdBy, mails.length, ofPlans, now) : undefined;
    if (mailLimit !== undefined) return { refused: 'ownMailsPerDay', limit: mailLimit };
    await Invitation.open(transaction, now)
      .where({ workspace_id: workspaceId })
      .whereRaw('lower(email) = ANY(?)', [mails.map((email) => email.toLowerCase())] as never)
      .patch({ revokedAt: now });
    return insert(transaction);
  });
}

/** Counts mails of a person, whatever becomes of the workspace. Returns the limit if these are too many. Under `lockOwner`. */
async function takeMails(
  transaction: Database,
  inviterId: string,
  mails: number,
  ofPlans: PlanLimits,
  now: Date,
): Promise<number | undefined> {
  const limit = await readMailLimit(transaction, inviterId, ofPlans);
  const row = (await transaction('invitation_mails')
    .where({ inviter_id: inviterId })
    .where('sent_at', '>', new Date(now.getTime() - dayMs))
    .sum({ sent: 'mails' })
    .first()) as { sent: string | null };
  if (Number(row.sent ?? 0) + mails > limit) return limit;
  await transaction('invitation_mails').insert({ inviter_id: inviterId, sent_at: now, mails });
  return undefined;
}

interface InvitationUse {
  members: number;
  /** Without those that are replaced. */
  invitations: number;
  mailed: number;
  invitationMails: number;
}

async function readInvitationUse(
  transaction: Database,
  { workspaceId, mails }: { workspaceId: WorkspaceId; mails: string[] },
  now: Date,
): Promise<InvitationUse> {
  const { rows } = (await transaction.raw(
    `SELECT (SELECT count(*)::int FROM workspace_members WHERE workspace_id = :workspaceId) AS members,
            count(*) FILTER (WHERE is_open)::int AS invitations,
            count(*) FILTER (WHERE is_open AND email IS NOT NULL)::int AS mailed,
            count(*) FILTER (WHERE email IS NOT NULL AND created_at > :since)::int AS "invitationMails"
     FROM (
       SELECT email, created_at, expires_at > :now AND revoked_at IS NULL AND uses < max_uses
                                 AND NOT coalesce(lower(email) = ANY(:mails), false) AS is_open
       FROM invitations WHERE workspace_id = :workspaceId
     ) AS known`,
    {
      workspaceId,
      now,
      since: new Date(now.getTime() - dayMs),
      mails: mails.map((email) => email.toLowerCase()),
    } as never,
  )) as { rows: [InvitationUse] };
  return rows[0];
}

/** A link may be used by more people than there is room for: the last ones are refused when they accept. */
function fullLimit(limits: Limits, use: InvitationUse, mails: number) {
  if (use.members + (mails > 0 ? use.mailed + mails : 1) > limits.members) return 'members';
  if (use.invitations + Math.max(1, mails) > limits.invitations) return 'invitations';
  const isMailed = mails > 0 && use.invitationMails + mails > limits.invitationMailsPerDay;
  return isMailed ? 'invitationMailsPerDay' : undefined;
}

export interface ListedInvitation
  extends Pick<Invitation, 'id' | 'role' | 'email' | 'note' | 'expiresAt' | 'maxUses' | 'uses'> {
  /** The address of who invites. */
  inviter: string;
}

/** For owners: the open ones, newest first. */
export async function listInvitations(
  db: Database,
  workspaceId: WorkspaceId,
  now: Date,
): Promise<ListedInvitation[]> {
  return (await Invitation.open(db, now)
    .join('users AS inviter', 'inviter.id', 'invitations.created_by')
    .where('invitations.workspace_id', workspaceId)
    .orderBy('invitations.id', 'desc')
    .select('invitations.*', 'inviter.email AS inviter')) as unknown as ListedInvitation[];
}

/** False if this workspace has no such invitation to revoke. */
export async function revokeInvitation(
  db: Database,
  workspaceId: WorkspaceId,
  id: string,
  now: Date,
): Promise<boolean> {
  if (!isUuid(id)) return false;
  return inTransaction(db, async (transaction) => {
    const open = Invitation.open(transaction, now).where({ id, workspace_id: workspaceId });
    return (await open.patch({ revokedAt: now })) > 0;
  });
}

/** For the worker: an invitation to an address that can be accepted. */
export async function findMailedInvitation(
  db: Database,
  id: string,
  now: Date,
): Promise<(Invitation & { email: string }) | undefined> {
  const found = await Invitation.valid(db, now).findById(id).whereNotNull('email');
  return found as (Invitation & { email: string }) | undefined;
}

/** For the mail that is being written. Replaces the token of an earlier attempt. False if it cannot be accepted any more. */
export async function setInvitationToken(
  db: Database,
  id: string,
  tokenHash: Buffer,
  now: Date,
): Promise<boolean> {
  return (await Invitation.open(db, now).findById(id).patch({ tokenHash })) > 0;
}

export async function purgeInvitations(db: Database, now: Date): Promise<number> {
  await db('invitation_mails')
    .where('sent_at', '<=', new Date(now.getTime() - dayMs))
    .delete();
  return Invitation.query(db).where('expires_at', '<=', now).delete();
}
