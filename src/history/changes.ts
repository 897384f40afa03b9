import { Model, raw, snakeCaseMappers } from 'objection';
import { validate as isUuid } from 'uuid';
import type { Actor } from '../store/actor.ts';
import type { Database } from '../store/database.ts';
import { firstIdAt } from '../store/time-ordered-id.ts';
import type { WorkspaceId } from '../workspaces/workspace.ts';
import { isToEraseSql } from './erase-deleted-codes.ts';

/** What entries are about. A code includes its design, page, logo and file. Stored. */
export const changeKinds = [
  'code',
  'style',
  'brand',
  'key',
  'webhook',
  'member',
  'invitation',
  'workspace',
] as const;
export type ChangeKind = (typeof changeKinds)[number];

export const changeActions = ['created', 'changed', 'trashed', 'restored', 'deleted'] as const;
export type ChangeAction = (typeof changeActions)[number];

/** By field, in camel case. */
export type Fields = Record<string, unknown>;

/** An entry of the history. Triggers of the database write it in the transaction of the change: see migration 0071. */
export class Change extends Model {
  static override tableName = 'changes';
  static override columnNameMappers = {
    ...snakeCaseMappers(),
    parse: ({
      before,
      after,
      transaction_id: _internal,
      is_to_erase: isHidden,
      ...row
    }: Record<string, unknown>) => ({
      ...snakeCaseMappers().parse(row),
      before: isHidden ? null : fieldsOf(before),
      after: isHidden ? null : fieldsOf(after),
      ...(isHidden === true && { subjectName: null }),
    }),
  };

  declare id: string;
  declare workspaceId: WorkspaceId;
  declare at: Date;
  /** Null: a process of the previous release. */
  declare actorKind: Actor['kind'] | null;
  declare actorId: string | null;
  /** As it was at that time. Null after the account was deleted. */
  declare actorName: string | null;
  declare requestId: string | null;
  declare kind: ChangeKind;
  declare action: ChangeAction;
  declare subjectId: string;
  /** As it was after the change. Null after the code was deleted for good. */
  declare subjectName: string | null;
  declare codeId: string | null;
  /** 1, 2, 3 … of each code. */
  declare version: number | null;
  /** Only fields that have changed. Null for what was created. */
  declare before: Fields | null;
  /** Null for what was deleted. */
  declare after: Fields | null;
}

/** An entry about a code, which is one of its versions. */
export type Version = Change & { codeId: string; version: number };

export const fieldName = (column: string) =>
  column.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());

function fieldsOf(stored: unknown): Fields | null {
  if (stored === null || stored === undefined) return null;
  return Object.fromEntries(
    Object.entries(stored).map(([column, value]) => [fieldName(column), fieldValue(column, value)]),
  );
}

/** The file of a code is a row with columns of its own; a design is stored in camel case. */
export function fieldValue(column: string, value: unknown): unknown {
  if (column === 'file' && value !== null) return fieldsOf(value);
  return /_(?:at|until)$/.test(column) && typeof value === 'string' ? new Date(value).toISOString() : value;
}

export interface ChangeFilter {
  codeId?: string | undefined;
  /** A person or a key. */
  actorId?: string | undefined;
  kind?: ChangeKind | undefined;
  /** Only entries of these kinds: see `kindsFor`. */
  kinds?: readonly ChangeKind[];
  /** Inclusive. */
  from?: Date | undefined;
  /** Exclusive. */
  to?: Date | undefined;
}

interface Page {
  limit: number;
  /** The id of the last entry of the previous page. */
  cursor?: string | undefined;
}

/** The id is generated before `at`, which is rounded to milliseconds. */
const idLeadMs = 1_000;

/** Up to `limit` + 1 entries of a workspace, newest first: the extra one shows that there is a next page. */
export async function listChanges(
  db: Database,
  workspaceId: WorkspaceId,
  { codeId, actorId, kind, kinds, from, to }: ChangeFilter,
  { limit, cursor }: Page,
): Promise<Change[]> {
  if ([codeId, actorId, cursor].some((id) => id !== undefined && !isUuid(id))) return [];
  const query = Change.query(db)
    .select('changes.*', raw(isToEraseSql))
    .where({ workspace_id: workspaceId })
    .orderBy('id', 'desc')
    .limit(limit + 1);
  if (codeId !== undefined) query.where({ code_id: codeId });
  if (actorId !== undefined) query.where({ actor_id: actorId });
  if (kind !== undefined) query.where({ kind });
  if (kinds) query.whereIn('kind', kinds);
  // The index is by id, which starts with a time just before `at`.
  if (from) query.where('id', '>=', firstIdAt(new Date(from.getTime() - idLeadMs))).where('at', '>=', from);
  if (to) query.where('id', '<', firstIdAt(to)).where('at', '<', to);
  if (cursor !== undefined) query.where('id', '<', cursor);
  return query;
}

/** Up to `limit` + 1 versions of a code, newest first. `before`: the last version of the previous page. */
export async function versionsOf(
  db: Database,
  code: { id: string; workspaceId: WorkspaceId },
  { limit, before }: { limit: number; before?: number | undefined },
): Promise<Version[]> {
  const query = Change.query(db)
    .where({ code_id: code.id, workspace_id: code.workspaceId })
    .orderBy('version', 'desc')
    .limit(limit + 1);
  if (before !== undefined) query.where('version', '<', before);
  return query as unknown as Promise<Version[]>;
}

export async function findVersion(
  db: Database,
  code: { id: string; workspaceId: WorkspaceId },
  version: number,
): Promise<Version | undefined> {
  const query = Change.query(db).findOne({ code_id: code.id, workspace_id: code.workspaceId, version });
  return query as unknown as Promise<Version | undefined>;
}
