import type { Context } from 'koa';
import type { KeyGrant } from '../../accounts/api-keys.ts';
import { type Scope, scopes } from '../../accounts/key-scopes.ts';
import { normalizeLabel } from '../../codes/label.ts';
import type { FieldError } from '../../errors.ts';
import { field } from '../middleware/forms.ts';
import { labelErrors } from '../ui/form.ts';
import { readLastDay } from '../ui/last-day.ts';

export const maxNameLength = 100;
export const scopeField = (scope: Scope) => `scope-${scope}`;

type Values = Record<string, string>;

export const emptyKeyForm: Values = { name: '', access: 'everything', lastDay: '' };

interface KeyForm {
  values: Values;
  name: string;
  grant: KeyGrant;
  errors: FieldError[];
}

/** A form without `access` and scopes, as pages of the previous release send it, is for a key that may do everything. */
export function readKeyForm(ctx: Context, now: Date): KeyForm {
  const name = normalizeLabel(field(ctx, 'name'));
  const chosen = scopes.filter((scope) => field(ctx, scopeField(scope)) === 'on');
  const access = field(ctx, 'access') || (chosen.length > 0 ? 'some' : 'everything');
  const values: Values = { name, access, lastDay: field(ctx, 'lastDay') };
  for (const scope of chosen) values[scopeField(scope)] = 'on';
  const { expiresAt = null, errors: ofDay } = readLastDay(values, now);
  const isEverything = access === 'everything';
  return {
    values,
    name,
    grant: { scopes: isEverything ? null : chosen, expiresAt },
    errors: [
      ...labelErrors('name', name, maxNameLength, 'Enter a name'),
      ...(isEverything || chosen.length > 0
        ? []
        : [{ field: 'scopes', message: 'Choose what the key can do' }]),
      ...ofDay,
    ],
  };
}
