import { Model, snakeCaseMappers } from 'objection';
import type { Limits, Plan } from '../limits.ts';
import { type Database, inTransaction } from '../store/database.ts';

declare const workspaceBrand: unique symbol;

/**
 * Whose codes, keys, webhooks and files are meant. A type of its own, so that a query cannot be written with the id of a person
 * or of a code instead. It comes from an API key or a membership; see also `ownWorkspaceId`.
 */
export type WorkspaceId = string & { readonly [workspaceBrand]: true };

/** The workspace that was created with an account has its id. */
export const ownWorkspaceId = (user: { id: string }): WorkspaceId => user.id as WorkspaceId;

/** Columns are called `user_id`, as in releases in which an account owned what its workspace owns now. */
export function ownedColumns() {
  const { parse, format } = snakeCaseMappers();
  return {
    parse: ({ user_id: workspaceId, ...row }: Record<string, unknown>) => ({
      ...parse(row),
      ...(workspaceId !== undefined && { workspaceId }),
    }),
    format: ({ workspaceId, ...json }: Record<string, unknown>) => ({
      ...format(json),
      ...(workspaceId !== undefined && { user_id: workspaceId }),
    }),
  };
}

export class Workspace extends Model {
  static override tableName = 'workspaces';
  static override columnNameMappers = snakeCaseMappers();
  static override jsonAttributes = ['limits'];

  declare id: WorkspaceId;
  declare slug: string;
  declare name: string;
  declare plan: Plan;
  /** Limits that an operator has set for this workspace. Null: the limits of its plan. */
  declare limits: Partial<Limits> | null;
  declare createdAt: Date;
}

export async function findWorkspace(db: Database, id: WorkspaceId): Promise<Workspace> {
  return Workspace.query(db).findById(id).throwIfNotFound();
}

/** The workspace that was created with an account, unless it was deleted. */
export async function findOwnWorkspace(db: Database, user: { id: string }): Promise<Workspace | undefined> {
  return Workspace.query(db).findById(ownWorkspaceId(user));
}

export async function setPlan(db: Database, id: WorkspaceId, plan: Plan): Promise<void> {
  await inTransaction(db, async (transaction) => Workspace.query(transaction).findById(id).patch({ plan }));
}

/** Until the end of the transaction. Hold it while you check a limit and insert, so that parallel requests cannot exceed it. */
export async function lockWorkspace(transaction: Database, id: WorkspaceId): Promise<void> {
  await Workspace.query(transaction).findById(id).forNoKeyUpdate().select('id');
}

/** Whether the workspace with the id in this column is blocked, as SQL: its keys are refused, and its codes answer 410. */
export const isWorkspaceBlockedSql = (workspaceId: string) =>
  `EXISTS (SELECT FROM blocks WHERE kind = 'workspace' AND value = ${workspaceId}::text)`;

export async function isWorkspaceBlocked(db: Database, id: WorkspaceId): Promise<boolean> {
  return (await db('blocks').where({ kind: 'workspace', value: id }).first('value')) !== undefined;
}
