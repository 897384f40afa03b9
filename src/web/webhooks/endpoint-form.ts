import type { Context } from 'koa';
import { isLabel, normalizeLabel } from '../../codes/label.ts';
import type { FieldError } from '../../errors.ts';
import { type AddressPolicy, outboundUrlError } from '../../net/address-policy.ts';
import type { Endpoint, EndpointInput } from '../../webhooks/endpoints.ts';
import { type EventName, eventNames } from '../../webhooks/events.ts';
import { field } from '../middleware/forms.ts';
import type { FormState } from '../ui/controls.tsx';

const maxNameLength = 100;
const maxListed = 100;
const uuid = /[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}/i;

/** The name of the check box of an event. */
export const eventField = (event: EventName) => event.replace('.', '-');

/** Reads the form of an endpoint. The input is valid if there are no errors. */
export function readEndpointForm(
  ctx: Context,
  policy: AddressPolicy,
): { form: FormState; input: EndpointInput } {
  const values: Record<string, string> = {
    name: normalizeLabel(field(ctx, 'name')),
    url: field(ctx, 'url').trim(),
    codes: field(ctx, 'codes'),
    categories: field(ctx, 'categories'),
  };
  for (const event of eventNames) values[eventField(event)] = field(ctx, eventField(event));
  const codes = linesOf(values['codes'] ?? '');
  const categories = linesOf(values['categories'] ?? '').map((line) => normalizeLabel(line, maxNameLength));
  const codeIds = codes.flatMap((line) => uuid.exec(line.slice(-500))?.[0] ?? []);
  const input = {
    name: values['name'] ?? '',
    url: values['url'] ?? '',
    events: eventNames.filter((event) => values[eventField(event)] === 'on'),
    codeIds: codeIds.length > 0 ? codeIds : null,
    categories: categories.length > 0 ? categories : null,
  };
  return { form: { values, errors: [...errorsOf(input, policy), ...listErrors(codes, codeIds)] }, input };
}

function errorsOf({ name, url, events, categories }: EndpointInput, policy: AddressPolicy): FieldError[] {
  const errors: FieldError[] = [];
  if (name === '') errors.push({ field: 'name', message: 'must not be empty' });
  else if ([...name].length > maxNameLength || !isLabel(name))
    errors.push({
      field: 'name',
      message: `must have at most ${maxNameLength} characters, and none that are invisible`,
    });
  const urlError = outboundUrlError(url, policy);
  if (urlError) errors.push({ field: 'url', message: urlError });
  if (events.length === 0) errors.push({ field: 'events', message: 'Choose at least one event' });
  const isInvalid = (label: string) => [...label].length > maxNameLength || !isLabel(label);
  if (categories && (categories.length > maxListed || categories.some(isInvalid)))
    errors.push({
      field: 'categories',
      message: `must be at most ${maxListed} lines, each with at most ${maxNameLength} characters`,
    });
  return errors;
}

function listErrors(codes: string[], codeIds: string[]): FieldError[] {
  if (codes.length > maxListed) return [{ field: 'codes', message: `must be at most ${maxListed} lines` }];
  return codes.length === codeIds.length
    ? []
    : [{ field: 'codes', message: 'must have the address of a code’s page in each line' }];
}

function linesOf(text: string): string[] {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
}

export function formOf({ name, url, events, codeIds, categories }: Endpoint, baseUrl: string): FormState {
  const values: Record<string, string> = {
    name,
    url,
    codes: (codeIds ?? []).map((id) => `${baseUrl}/codes/${id}`).join('\n'),
    categories: (categories ?? []).join('\n'),
  };
  for (const event of events) values[eventField(event)] = 'on';
  return { values, errors: [] };
}
