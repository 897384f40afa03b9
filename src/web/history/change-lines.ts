import type { CodeType } from '../../codes/content/content-types.ts';
import { type Design, defaultDesign } from '../../codes/design/design.ts';
import type { Change, Fields } from '../../history/changes.ts';
import { type FilePart, type StateField, stateFields } from '../../history/code-state.ts';
import { type ChangeLine, contentLines } from './content-lines.ts';
import { fieldNames } from './field-value.tsx';

/** What an entry about a code has changed, in the order of its fields. */
export function codeLines({ action, before, after }: Change, types: TypesOfChange = {}): ChangeLine[] {
  if (action === 'created') return [{ field: 'code', text: 'Created the code' }];
  if (action === 'trashed') return [{ field: 'code', text: 'Moved the code to the trash' }];
  if (action === 'restored') return [{ field: 'code', text: 'Restored the code from the trash' }];
  if (action === 'deleted') return [{ field: 'code', text: 'Deleted the code for good' }];
  const [old, fresh] = [before ?? {}, after ?? {}];
  const changed = stateFields.filter((field) => field in old || field in fresh);
  if (changed.length === 0) return [{ field: 'code', text: 'Changed the code' }];
  return changed.flatMap((field) => codeLine(field, old[field] ?? null, fresh[field] ?? null, types));
}

/** The type of the code on both sides, where it is known. */
export interface TypesOfChange {
  before?: CodeType | undefined;
  after?: CodeType | undefined;
}

/** `after`: the type that the code had after the entry. */
export function typesOfChange({ before }: Change, after: CodeType | undefined): TypesOfChange {
  return { before: (before?.['type'] as CodeType | undefined) ?? after, after };
}

function codeLine(
  field: StateField,
  from: unknown,
  to: unknown,
  { before, after }: TypesOfChange,
): ChangeLine[] {
  switch (field) {
    case 'name':
      return [{ field, text: 'Renamed the code', from, to }];
    case 'content':
      return contentLines({ content: from, type: before }, { content: to, type: after });
    case 'isPublic':
      return [{ field, text: to ? 'Made the code public' : 'Made the code private' }];
    case 'isFavorite':
      return [
        { field, text: to ? 'Added the code to the favorites' : 'Removed the code from the favorites' },
      ];
    case 'pageShowsName':
      return [
        {
          field,
          text: to === false ? 'Hid the name from the share page' : 'Showed the name on the share page',
        },
      ];
    case 'design':
      return designTexts(from as Design | null, to as Design | null).map((text) => ({ field, text }));
    case 'pageLogo':
      return [{ field, text: `${verb(from, to, 'Replaced')} the logo of the share page` }];
    case 'file':
      return [fileLine(from as FilePart | null, to as FilePart | null)];
    default:
      return [valueLine(field, fieldNames[field], from, to)];
  }
}

function verb(from: unknown, to: unknown, both = 'Changed'): string {
  if (from === null) return 'Added';
  return to === null ? 'Removed' : both;
}

function valueLine(field: string, name: string, from: unknown, to: unknown): ChangeLine {
  if (from === null) return { field, text: `Set the ${name}`, to };
  if (to === null) return { field, text: `Removed the ${name}`, from };
  return { field, text: `Changed the ${name}`, from, to };
}

function designTexts(from: Design | null, to: Design | null): string[] {
  const [old, fresh] = [
    { ...defaultDesign, ...from },
    { ...defaultDesign, ...to },
  ];
  const logo = old.logo === fresh.logo ? [] : [`${verb(old.logo, fresh.logo, 'Replaced')} the logo`];
  if (from === null) return ['Added a design', ...logo];
  if (to === null) return ['Removed the design', ...logo];
  const isOther = Object.keys(defaultDesign).some(
    (key) => key !== 'logo' && old[key as keyof Design] !== fresh[key as keyof Design],
  );
  return isOther || logo.length === 0 ? ['Changed the design', ...logo] : logo;
}

function fileLine(from: FilePart | null, to: FilePart | null): ChangeLine {
  const kind = (to ?? from)?.kind ?? 'file';
  if (!from) return { field: 'file', text: `Uploaded the ${kind}`, to };
  if (!to) return { field: 'file', text: `Removed the ${kind}`, from };
  return { field: 'file', text: `Replaced the ${kind}`, from, to };
}

const subjects: Record<Exclude<Change['kind'], 'code'>, string> = {
  style: 'template',
  brand: 'brand',
  key: 'API key',
  webhook: 'webhook',
  member: 'member',
  invitation: 'invitation',
  workspace: 'workspace',
};

const ownNames: Record<string, string> = {
  url: 'address',
  codeIds: 'codes',
  isDefault: 'default for new codes',
  isEnabled: 'state',
  disabledReason: 'reason',
  scopes: 'scopes',
  limits: 'limits',
};

interface Told {
  types?: TypesOfChange;
  /** The two entries of an owner who hands the workspace over. */
  isHandover?: boolean;
}

/** What an entry has changed of anything that a workspace has. */
export function changeLines(change: Change, { types, isHandover = false }: Told = {}): ChangeLine[] {
  const { kind, action, before, after } = change;
  if (kind === 'code') return codeLines(change, types);
  const subject = subjects[kind] ?? kind;
  if (kind === 'member') return [memberLine(change, isHandover)];
  if (kind === 'invitation' && action === 'created') return [invitationLine(change)];
  if (action === 'created') return [{ field: kind, text: `Created the ${subject}` }];
  if (action === 'deleted') return [{ field: kind, text: `Deleted the ${subject}` }];
  const [old, fresh] = [before ?? {}, after ?? {}];
  const fields = [...new Set([...Object.keys(old), ...Object.keys(fresh)])];
  return fields.map((field) => otherLine(subject, field, old, fresh));
}

function otherLine(subject: string, field: string, old: Fields, fresh: Fields): ChangeLine {
  const [from, to] = [old[field] ?? null, fresh[field] ?? null];
  const of = `the ${subject}`;
  if (field === 'revokedAt') return { field, text: `Revoked ${of}` };
  if (field === 'previousSecretUntil') return { field, text: `Replaced the secret of ${of}` };
  if (field === 'isEnabled') return { field, text: `${to ? 'Enabled' : 'Disabled'} ${of}` };
  if (field === 'isDefault')
    return { field, text: to ? `Made ${of} the default` : `Removed ${of} as the default` };
  if (field === 'design') return { field, text: `Changed the design of ${of}` };
  if (field === 'logo') return { field, text: `${verb(from, to, 'Replaced')} the logo of ${of}` };
  if (field === 'limits') return { field, text: `Changed the limits of ${of}` };
  if (field === 'name') return { field, text: `Renamed ${of}`, from, to };
  const name = ownNames[field] ?? field.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  return valueLine(field, `${name} of ${of}`, from, to);
}

function memberLine(change: Change, isHandover: boolean): ChangeLine {
  const { action, before, after, actorId, subjectId } = change;
  const field = 'role';
  const isOwn = actorId === subjectId;
  if (action === 'created')
    return isOwn
      ? { field, text: `Joined as ${withArticle(after?.['role'])}` }
      : { field, text: 'Added a member', to: after?.['role'] };
  if (action === 'deleted') return { field, text: isOwn ? 'Left the workspace' : 'Removed a member' };
  const role = isOwn ? 'own role' : 'role';
  const text = isHandover ? `Handed over the workspace: ${role} changed` : `Changed the ${role}`;
  return { field, text, from: before?.['role'], to: after?.['role'] };
}

function invitationLine(change: Change): ChangeLine {
  const role = change.after?.['role'];
  return invitedAddress(change) === undefined
    ? { field: 'role', text: 'Created an invitation link', to: role }
    : { field: 'role', text: `Invited as ${withArticle(role)}` };
}

/** Undefined: the invitation is a link. */
export function invitedAddress({ subjectName, before, after }: Change): string | undefined {
  const names = [subjectName, after?.['email'], before?.['email']];
  return names.find((name) => typeof name === 'string' && name.includes('@')) as string | undefined;
}

const withArticle = (role: unknown) => `${role === 'viewer' ? 'a' : 'an'} ${String(role)}`;

/** The entries of owners who made another member an owner and themselves an editor, in one request. */
export function findHandovers(changes: Change[]): Set<string> {
  const roles = changes.filter(
    ({ kind, action, requestId }) => kind === 'member' && action === 'changed' && requestId,
  );
  return new Set(
    roles.flatMap((given) => {
      const own = roles.find(
        ({ requestId, actorId, subjectId, before }) =>
          requestId === given.requestId && actorId === subjectId && before?.['role'] === 'owner',
      );
      return own && own !== given && given.after?.['role'] === 'owner' ? [given.id, own.id] : [];
    }),
  );
}
