import { type LimitName, limitNames, type Limits, limitsOf, type Plan, type PlanLimits } from '../limits.ts';
import { bytesPerMb } from '../runtime/units.ts';
import type { Database } from '../store/database.ts';
import { recordAction } from './operator-actions.ts';
import { liveTimes } from './request-windows.ts';
import { isActiveKeySql } from './users.ts';
import { invitationUseSql } from '../workspaces/invitations.ts';
import { findWorkspace, lockWorkspace, type WorkspaceId } from '../workspaces/workspace.ts';

/** What an account may have, or has. */
export interface AccountUse {
  /** Forms of the last hour that cost as much as a request. */
  forms: number;
  codes: number;
  fileBytes: number;
  webhooks: number;
  /** Active ones. */
  keys: number;
  members: number;
  /** Open ones. */
  invitations: number;
  /** Of the last 24 hours. */
  invitationMails: number;
}

export interface AccountLimits {
  plan: Plan;
  limits: Limits;
}

export async function findLimits(
  db: Database,
  workspaceId: WorkspaceId,
  ofPlans: PlanLimits,
): Promise<AccountLimits> {
  const workspace = await findWorkspace(db, workspaceId);
  return { plan: workspace.plan, limits: limitsOf(workspace, ofPlans) };
}

/** How many bytes the files of an account may have together. */
export async function findFileQuota(
  db: Database,
  workspaceId: WorkspaceId,
  ofPlans: PlanLimits,
): Promise<number> {
  return (await findLimits(db, workspaceId, ofPlans)).limits.fileMb * bytesPerMb;
}

/** The window of the forms of an account, in `request_windows`. */
export const formsSubject = (workspaceId: WorkspaceId) => `forms:${workspaceId}`;

/** Reads no more than a few rows of each table. */
export async function readUse(db: Database, workspaceId: WorkspaceId): Promise<AccountUse> {
  const { rows } = (await db.raw(
    `SELECT coalesce((SELECT (SELECT count(*) FROM ${liveTimes('now()')}) FROM request_windows AS w
                      WHERE subject = :forms), 0)::int AS forms,
            (SELECT coalesce(sum(codes), 0)::int FROM code_counts WHERE user_id = :workspaceId) AS codes,
            (SELECT coalesce(sum(bytes), 0)::float8 FROM code_files WHERE user_id = :workspaceId
               AND NOT EXISTS (SELECT FROM trashed_codes AS trashed WHERE trashed.code_id = code_files.code_id)) AS "fileBytes",
            (SELECT count(*)::int FROM webhook_endpoints WHERE user_id = :workspaceId) AS webhooks,
            (SELECT count(*)::int FROM api_keys AS k WHERE user_id = :workspaceId AND ${isActiveKeySql('k')}) AS keys,
            (SELECT count(*)::int FROM workspace_members WHERE workspace_id = :workspaceId) AS members,
            ${invitationUseSql(':workspaceId', 'now()')}`,
    { workspaceId, forms: formsSubject(workspaceId) },
  )) as { rows: [AccountUse] };
  return rows[0];
}

/** A limit for the account itself; null: that of its plan. */
export type LimitChanges = Partial<Record<LimitName, number | null>>;

/** With its entry in the audit log. False where nothing changes. Codes and files beyond a lower limit stay. */
export async function changeLimits(
  db: Database,
  { workspaceId, operatorId }: { workspaceId: WorkspaceId; operatorId: string | undefined },
  changes: LimitChanges,
  now: Date,
): Promise<boolean> {
  return db.transaction(async (transaction) => {
    await lockWorkspace(transaction, workspaceId);
    const workspace = await findWorkspace(transaction, workspaceId);
    const own: Partial<Limits> = { ...workspace.limits };
    const notes: string[] = [];
    for (const name of limitNames) {
      const to = changes[name];
      if (to === undefined || to === (own[name] ?? null)) continue;
      notes.push(`${name}: ${own[name] ?? 'plan'} → ${to ?? 'plan'}`);
      if (to === null) delete own[name];
      else own[name] = to;
    }
    if (notes.length === 0) return false;
    const limits = Object.keys(own).length > 0 ? own : null;
    await workspace.$query(transaction).patch({ limits });
    const entry = {
      operatorId,
      action: 'limits.change',
      target: workspaceId,
      note: notes.join(', '),
    } as const;
    await recordAction(transaction, entry, now);
    return true;
  });
}
