import type { User } from './users.ts';
import { RequestWindow } from './request-windows.ts';
import { AppError } from '../errors.ts';
import { skipHistory } from '../store/actor.ts';
import type { Database } from '../store/database.ts';
import { listPeople, listWorkspacesOf } from '../workspaces/people.ts';
import { Workspace, type WorkspaceId } from '../workspaces/workspace.ts';

interface DeletedWorkspace {
  /** Of the deleted codes. */
  shareTokens: string[];
  /** Ids of those who were members. */
  members: string[];
}

/** With its keys, webhooks, codes, also those in the trash, scans and counters. Undefined if it is gone already. */
export async function deleteWorkspace(db: Database, id: WorkspaceId): Promise<DeletedWorkspace | undefined> {
  return db.transaction(async (transaction) => {
    if (!(await Workspace.query(transaction).findById(id).forUpdate().select('id'))) return undefined;
    const members = (await listPeople(transaction, id)).map(({ userId }) => userId);
    return { shareTokens: await deleteLocked(transaction, id), members };
  });
}

/**
 * With the workspaces of which the person is the only member. They leave the others, and those have to keep an owner. Returns
 * the share tokens of the deleted codes.
 */
export async function deleteUser(db: Database, user: User): Promise<string[]> {
  return db.transaction(async (transaction) => {
    await transaction('users').where({ id: user.id }).forUpdate().select('id');
    // Locked in id order, so that nobody joins or leaves while members are counted.
    await Workspace.query(transaction)
      .whereIn('id', transaction('workspace_members').where({ user_id: user.id }).select('workspace_id'))
      .orderBy('id')
      .forUpdate()
      .select('id');
    const workspaces = await listWorkspacesOf(transaction, user.id);
    const orphaned = workspaces.filter(
      ({ role, members, owners }) => role === 'owner' && owners === 1 && members > 1,
    );
    if (orphaned.length > 0) throw needsOwner(orphaned.map(({ name }) => name));
    const shareTokens: string[] = [];
    for (const { id, members } of workspaces)
      if (members === 1) shareTokens.push(...(await deleteLocked(transaction, id)));
    // Tells `keep_shared_workspace` that other members were checked.
    await transaction.raw(`SELECT set_config('qrelay.left_workspaces', ?, true)`, [user.id]);
    await transaction('workspace_members').where({ user_id: user.id }).delete();
    await RequestWindow.deleteOfAccount(transaction, user.id);
    await transaction('users').where({ id: user.id }).delete();
    return shareTokens;
  });
}

const maxNamed = 10;

/** Somebody is the only owner of workspaces with other members. */
export class LastOwnerError extends AppError {}

function needsOwner(names: string[]): LastOwnerError {
  const named = names.slice(0, maxNamed).map((name) => `“${name}”`);
  if (names.length > maxNamed) named.push(`${names.length - maxNamed} more`);
  const message = `You are the only owner of ${named.join(', ')}, and others are members. Make one of them an owner, or delete the workspace first.`;
  return new LastOwnerError('validation_error', message, { status: 409 });
}

/** Locks in the order in which changes of codes and logos do, which would otherwise wait for each other. */
async function deleteLocked(transaction: Database, id: WorkspaceId): Promise<string[]> {
  for (const table of ['qr_codes', 'styles', 'logos'])
    await transaction(table).where({ user_id: id }).orderBy('id').forUpdate().select('id');
  await skipHistory(transaction, id);
  // Deleted first, so that no `code.deleted` events are written.
  await transaction('webhook_endpoints').where({ user_id: id }).delete();
  const shareTokens = await deleteRows(transaction, { table: 'qr_codes', key: 'id', owner: 'user_id' }, id);
  await deleteRows(transaction, { table: 'trashed_codes', key: 'code_id', owner: 'user_id' }, id);
  await deleteRows(transaction, { table: 'changes', key: 'id', owner: 'workspace_id' }, id);
  await RequestWindow.deleteOfWorkspace(transaction, id);
  await Workspace.query(transaction).deleteById(id);
  return shareTokens;
}

const rowsPerStep = 1_000;

/**
 * Those of a workspace, in steps: each statement has to end before its timeout, and a workspace may have 50,000 codes. They are
 * one transaction, so nobody sees a part of it. Returns the share tokens of codes.
 */
async function deleteRows(
  transaction: Database,
  { table, key, owner }: { table: string; key: string; owner: string },
  id: WorkspaceId,
): Promise<string[]> {
  const shareTokens: string[] = [];
  for (let deleted = rowsPerStep; deleted === rowsPerStep; ) {
    const { rows } = (await transaction.raw(
      `DELETE FROM ${table} WHERE ${key} = ANY(ARRAY(
         SELECT ${key} FROM ${table} WHERE ${owner} = :id ORDER BY ${key} LIMIT ${rowsPerStep}
       )) RETURNING ${table === 'qr_codes' ? 'share_token' : 'NULL'} AS "shareToken"`,
      { id },
    )) as { rows: { shareToken: string | null }[] };
    for (const { shareToken } of rows) if (shareToken !== null) shareTokens.push(shareToken);
    deleted = rows.length;
  }
  return shareTokens;
}
