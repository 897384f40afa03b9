import type { CodeType } from '../../codes/content/content-types.ts';
import { type Design, defaultDesign } from '../../codes/design/design.ts';
import type { Change, Fields } from '../../history/changes.ts';
import { type FilePart, type StateField, stateFields } from '../../history/code-state.ts';
import { fieldNames } from './field-value.tsx';

/** What a change has done to one field, as the beginning of a sentence. */
export interface ChangeLine {
  field: string;
  text: string;
  /** Shown after the text: "from … to …", or only one of them. */
  from?: unknown;
  to?: unknown;
}

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

/** The type of the code on both sides, if known. */
export interface TypesOfChange {
  before?: CodeType | undefined;
  after?: CodeType | undefined;
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
      return [
        {
          field,
          text: `Changed the ${isAddress(from, before) && isAddress(to, after) ? 'destination' : 'content'}`,
          from,
          to,
        },
      ];
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

const isAddress = (content: unknown, type: CodeType | undefined) =>
  type === 'url' || (type === undefined && typeof content === 'string' && /^https?:\/\//.test(content));

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

/** What an entry has changed of anything that a workspace has. */
export function changeLines(change: Change): ChangeLine[] {
  const { kind, action, before, after } = change;
  if (kind === 'code') return codeLines(change);
  const subject = subjects[kind] ?? kind;
  if (kind === 'member') return [memberLine(change)];
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

function memberLine({ action, before, after }: Change): ChangeLine {
  const field = 'role';
  if (action === 'created') return { field, text: 'Added a member', to: after?.['role'] };
  if (action === 'deleted') return { field, text: 'Removed a member' };
  return { field, text: 'Changed the role', from: before?.['role'], to: after?.['role'] };
}

function invitationLine({ after }: Change): ChangeLine {
  const field = 'email';
  if (typeof after?.['email'] !== 'string')
    return { field, text: 'Created a link to join', to: after?.['role'] };
  // Empty when the invitation is gone.
  const to = [after['email'], `(${String(after['role'])})`].filter((part) => part !== '').join(' ');
  return { field, text: 'Invited somebody', to };
}
