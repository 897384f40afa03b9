import { hasRole, type Role } from '../workspaces/members.ts';
import { type Change, type ChangeKind, changeKinds } from './changes.ts';

/** The role that opens the page of what an entry is about. */
const neededFor: Record<ChangeKind, Role> = {
  code: 'viewer',
  style: 'viewer',
  brand: 'editor',
  key: 'owner',
  webhook: 'editor',
  member: 'viewer',
  invitation: 'owner',
  workspace: 'viewer',
};

/** The kinds of entries that a member sees. */
export const kindsFor = (role: Role): ChangeKind[] =>
  changeKinds.filter((kind) => hasRole(role, neededFor[kind]));

/** Whoever may not open the list of API keys does not learn their names from what they have changed either. */
export function withoutKeyName<Entry extends Pick<Change, 'actorKind' | 'actorName'>>(
  entry: Entry,
  role: Role,
): Entry {
  const isShown = entry.actorKind !== 'key' || hasRole(role, neededFor.key);
  return isShown ? entry : Object.assign(entry, { actorName: null });
}
