import { Model, type ModelObject, snakeCaseMappers } from 'objection';
import { validate as isUuid, v7 as uuidv7 } from 'uuid';
import type { Database } from '../store/database.ts';

/** Everything that an operator can change. The names are stored. */
export const operatorActions = {
  'plan.change': 'Changed the plan',
  'limits.change': 'Changed the limits',
  'account.block': 'Blocked the account',
  'account.unblock': 'Unblocked the account',
  'workspace.create': 'Created a workspace for the account',
  'workspace.block': 'Blocked the workspace',
  'workspace.unblock': 'Unblocked the workspace',
  'account.sessions': 'Ended all sessions',
  'account.link': 'Created a sign-in link',
  'account.password': 'Set a new password',
  'account.two-factor': 'Turned off two-factor sign-in',
  'account.identity': 'Unlinked the OpenID provider',
  'key.create': 'Created an API key',
  'key.revoke': 'Revoked an API key',
  'operator.add': 'Made the account an operator',
  'operator.remove': 'Removed the operator',
  'code.block': 'Blocked the code',
  'code.unblock': 'Unblocked the code',
  'host.block': 'Blocked the host',
  'host.unblock': 'Unblocked the host',
  'queue.retry': 'Retried failed jobs',
  'queue.promote': 'Ran delayed jobs at once',
  'queue.move': 'Moved the queue',
} as const;

export type OperatorAction = keyof typeof operatorActions;

const workspaceActions: string[] = [
  'plan.change',
  'limits.change',
  'workspace.block',
  'workspace.unblock',
] satisfies OperatorAction[];

export const isAboutWorkspace = (action: string) => workspaceActions.includes(action);

class OperatorActionEntry extends Model {
  static override tableName = 'operator_actions';
  static override columnNameMappers = snakeCaseMappers();

  declare id: string;
  declare at: Date;
  declare operatorId: string | null;
  declare action: string;
  declare target: string;
  declare note: string | null;
}

interface NewAction {
  /** Undefined: the command line. */
  operatorId: string | undefined;
  action: OperatorAction;
  /** The id of an account or a code, a host, or the name of a queue. */
  target: string;
  note?: string | undefined;
}

export interface RecordedAction extends ModelObject<OperatorActionEntry> {
  /** Null for the command line, and where the account was deleted. */
  operatorEmail: string | null;
  /** Null where the target is not an account, or was deleted. */
  targetEmail: string | null;
  /** Of the workspace with that id, which is that of an account, too, if the workspace was created with it. */
  targetWorkspace: string | null;
}

/** Call it in the transaction of the change, so that there is no change without its entry. */
export async function recordAction(
  db: Database,
  { operatorId, action, target, note }: NewAction,
  now: Date,
): Promise<void> {
  await OperatorActionEntry.query(db).insert({
    id: uuidv7({ msecs: now.getTime() }),
    at: now,
    operatorId: operatorId ?? null,
    action,
    target,
    note: note || null,
  });
}

interface ActionSearch {
  limit: number;
  /** Only those about this target. */
  target?: string;
  /** Only those about workspaces, or only those about others. */
  about?: 'workspaces' | 'others';
  /** Only those older than the entry with this id. */
  before?: string | undefined;
}

/** Newest first. Emails are those of today: the entries hold ids, so that a deleted account leaves no email behind. */
export async function listActions(
  db: Database,
  { limit, target, about, before }: ActionSearch,
): Promise<RecordedAction[]> {
  const query = OperatorActionEntry.query(db)
    .alias('a')
    .leftJoin('users as o', 'o.id', 'a.operator_id')
    .joinRaw("LEFT JOIN users AS t ON t.id = CASE WHEN a.target ~ '^[0-9a-f-]{36}$' THEN a.target::uuid END")
    .joinRaw(
      "LEFT JOIN workspaces AS w ON w.id = CASE WHEN a.target ~ '^[0-9a-f-]{36}$' THEN a.target::uuid END",
    )
    .orderBy('a.id', 'desc')
    .limit(limit)
    .select('a.*', 'o.email as operatorEmail', 't.email as targetEmail', 'w.name as targetWorkspace');
  if (about === 'workspaces') query.whereIn('a.action', workspaceActions);
  if (about === 'others') query.whereNotIn('a.action', workspaceActions);
  if (target !== undefined) query.where('a.target', target);
  if (before !== undefined && isUuid(before)) query.where('a.id', '<', before);
  return (await query) as (OperatorActionEntry & RecordedAction)[];
}
