import { findOrCreateUser, type User } from '../../src/accounts/users.ts';
import type { Role } from '../../src/workspaces/members.ts';
import { ownWorkspaceId, type WorkspaceId } from '../../src/workspaces/workspace.ts';
import { type FormClient, signedIn } from '../support/form-client.ts';
import type { TestService } from '../support/service.ts';

export interface Person {
  user: User;
  client: FormClient;
}

/** People on a service, and the workspaces that they share. */
export function people(service: TestService) {
  const { db } = service;
  let count = 0;

  /** With a confirmed address. */
  async function person(email = `person-${(count += 1)}@example.com`): Promise<Person> {
    const user = await findOrCreateUser(db, email, new Date());
    await db('users').where({ id: user.id }).update({ confirmed_email: email });
    return { user: await user.$query(db), client: await signedIn(service, email) };
  }

  const roleIn = async (workspaceId: WorkspaceId, { user }: Person) => {
    const row = (await db('workspace_members')
      .where({ workspace_id: workspaceId, user_id: user.id })
      .first('role')) as { role: Role } | undefined;
    return row?.role;
  };

  /** Somebody who is in this workspace only. */
  async function member(workspaceId: WorkspaceId, role: Role): Promise<Person> {
    const joined = await person();
    const { id } = joined.user;
    await db('workspace_members').insert({
      workspace_id: workspaceId,
      user_id: id,
      role,
      joined_at: new Date(),
    });
    await db('workspace_members').where({ workspace_id: id, user_id: id }).delete();
    return joined;
  }

  /** A workspace with an owner. */
  async function workspace(): Promise<{ id: WorkspaceId; owner: Person }> {
    const owner = await person();
    return { id: ownWorkspaceId(owner.user), owner };
  }

  return { person, member, workspace, roleIn };
}

/** Submits a form of a page: opens the page first, for its token. */
export async function submit(
  { client }: Person,
  path: string,
  fields: Record<string, string> = {},
  page = '/members',
): Promise<Response> {
  await client.get(page);
  return client.post(path, fields);
}
