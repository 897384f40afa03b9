import type { Context } from 'koa';
import { isAsTyped } from '../../../codes/content/content-fields.ts';
import { type CodeType, codeTypes } from '../../../codes/qr-code.ts';
import { createDefaults } from '../../../codes/code-rules.ts';
import { field } from '../../middleware/forms.ts';
import { readValues, type Values } from './form-body.ts';

export interface FormInput {
  type: CodeType;
  values: Values;
  /** Whether the content is edited as stored, rather than by fields. */
  isRaw: boolean;
}

/** How the form was opened, whatever the code has become since. */
export function readForm(ctx: Context, otherwise?: CodeType): FormInput {
  const type = typeOf(field(ctx, 'type'), otherwise);
  const isRaw = !isAsTyped(type) && typeof Reflect.get(Object(ctx.request.body), 'content') === 'string';
  return { type, values: readValues(ctx, type, isRaw), isRaw };
}

export function typeOf(text: unknown, otherwise: CodeType = createDefaults.type): CodeType {
  return codeTypes.find((type) => type === text) ?? otherwise;
}
