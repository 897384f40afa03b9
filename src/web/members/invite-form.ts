import type { Context } from 'koa';
import { emailErrors } from '../../accounts/users.ts';
import { normalizeLabel } from '../../codes/label.ts';
import type { FieldError } from '../../errors.ts';
import { invitationDays, maxNoteLength, maxUsesOfLink } from '../../workspaces/invitations.ts';
import { isRole, type Member, type Role } from '../../workspaces/members.ts';
import { field } from '../middleware/forms.ts';
import { labelErrors } from '../ui/form.ts';

/** In one form. */
export const maxEmails = 50;
const maxListLength = maxEmails * 256;
const maxNamed = 5;

export interface InviteForm {
  values: Record<string, string>;
  role: Role;
  days: number;
  errors: FieldError[];
}

/** Both forms are on one page, so their fields have different names. */
export const commonNames = {
  mail: { role: 'role', days: 'days' },
  link: { role: 'linkRole', days: 'linkDays' },
};
export type CommonNames = (typeof commonNames)['mail'];

export const emptyMailForm = { emails: '', role: 'editor', days: '7' };
export const emptyLinkForm = { uses: '1', note: '', linkRole: 'editor', linkDays: '7' };

/** Addresses that are separated by spaces, commas, semicolons or lines, each once. */
export function readMailForm(ctx: Context): InviteForm & { emails: string[] } {
  const text = field(ctx, 'emails');
  const emails =
    text.length > maxListLength ? [] : uniqueEmails(text.split(/[\s,;]+/).filter((part) => part !== ''));
  const common = readCommon(ctx, commonNames.mail);
  const ofEmails = text.length > maxListLength ? tooMany() : listErrors(emails);
  return {
    ...common,
    values: { ...common.values, emails: text.slice(0, maxListLength) },
    emails,
    errors: [...ofEmails, ...common.errors],
  };
}

const tooMany = () => [{ field: 'emails', message: `must be at most ${maxEmails} addresses at once` }];

function listErrors(emails: string[]): FieldError[] {
  if (emails.length === 0) return [{ field: 'emails', message: 'Enter at least one address' }];
  if (emails.length > maxEmails) return tooMany();
  const wrong = emails.filter((email) => emailErrors('emails', email).length > 0);
  if (wrong.length === 0) return [];
  const named = wrong.slice(0, maxNamed).map((email) => `“${email.slice(0, 60)}”`);
  const more = wrong.length > named.length ? ` and ${wrong.length - named.length} more` : '';
  const isOne = wrong.length === 1;
  const message = `${named.join(', ')}${more} ${isOne ? 'is not an address' : 'are not addresses'} such as you@example.com`;
  return [{ field: 'emails', message }];
}

/** Those who are in the workspace need no invitation, which would not change their role either. */
export function memberErrors(emails: string[], members: Member[]): FieldError[] {
  const invited = new Set(emails.map((email) => email.toLowerCase()));
  const known = members.filter(({ email }) => invited.has(email.toLowerCase()));
  if (known.length === 0) return [];
  const named = known.slice(0, maxNamed).map(({ email, role }) => `${email} (${role})`);
  const more = known.length > named.length ? ` and ${known.length - named.length} more` : '';
  const text = `Already ${known.length === 1 ? 'a member' : 'members'}: ${named.join(', ')}${more}`;
  return [{ field: 'emails', message: `${text}. Change roles in the list above` }];
}

/** Letter case does not matter in addresses. */
function uniqueEmails(emails: string[]): string[] {
  return [...new Map(emails.map((email) => [email.toLowerCase(), email])).values()];
}

export function readLinkForm(ctx: Context): InviteForm & { maxUses: number; note: string | null } {
  const common = readCommon(ctx, commonNames.link);
  const uses = field(ctx, 'uses').trim();
  const maxUses = /^\d{1,3}$/.test(uses) ? Number(uses) : 0;
  const note = normalizeLabel(field(ctx, 'note'), maxNoteLength);
  const isValid = maxUses >= 1 && maxUses <= maxUsesOfLink;
  const message = `must be a whole number from 1 to ${maxUsesOfLink}`;
  return {
    ...common,
    values: { ...common.values, uses: uses.slice(0, 10), note },
    maxUses,
    note: note || null,
    errors: [
      ...(isValid ? [] : [{ field: 'uses', message }]),
      ...(note === '' ? [] : labelErrors('note', note, maxNoteLength, '')),
      ...common.errors,
    ],
  };
}

function readCommon(ctx: Context, names: CommonNames): InviteForm {
  const [role, text] = [field(ctx, names.role), field(ctx, names.days)];
  const days = invitationDays.find((each) => String(each) === text);
  const message = 'Choose one from the list';
  return {
    values: { [names.role]: role.slice(0, 10), [names.days]: text.slice(0, 10) },
    role: isRole(role) ? role : 'viewer',
    days: days ?? 1,
    errors: [
      ...(isRole(role) ? [] : [{ field: names.role, message }]),
      ...(days ? [] : [{ field: names.days, message }]),
    ],
  };
}
