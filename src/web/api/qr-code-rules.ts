import type { Static } from 'typebox';
import { findHostBlocks } from '../../codes/blocks.ts';
import { contentErrors } from '../../codes/content/content-errors.ts';
import { hostsOf } from '../../codes/content/hosts.ts';
import type { CodeType } from '../../codes/content/content-types.ts';
import type { QrCode } from '../../codes/qr-code.ts';
import type { Config } from '../../config.ts';
import type { FieldError } from '../../errors.ts';
import type { Database } from '../../store/database.ts';
import type { BodyRules } from './operation.ts';
import { type createBody, createDefaults, type patchBody } from './qr-code-shapes.ts';

/** The blocked ones among these hosts, or their parents. */
export type FindBlocks = (hosts: string[]) => Promise<string[]>;
export type RuleConfig = Pick<Config, 'baseUrl' | 'abuseContact'>;

/** The rules of POST that its schema cannot express. */
export function newCodeRules(
  db: Database,
  config: RuleConfig,
  now: Date,
  findBlocks: FindBlocks = (hosts) => findHostBlocks(db, hosts),
): BodyRules<Static<typeof createBody>> {
  const contentRules = newContentRules(findBlocks, config);
  return async (fields, invalidFields) => {
    const { expiresAt } = fields;
    const isExpired = expiresAt !== undefined && new Date(expiresAt) <= now;
    const errors = await contentRules(fields, invalidFields);
    return isExpired ? [...errors, { field: 'expiresAt', message: 'must be in the future' }] : errors;
  };
}

function newContentRules(findBlocks: FindBlocks, config: RuleConfig): BodyRules<Static<typeof createBody>> {
  return async (fields, invalidFields) => {
    const { type: given, errorCorrection, content } = { ...createDefaults, ...fields };
    const type = invalidFields.has('type') ? undefined : given;
    const errors = contentErrors(
      { content, type, errorCorrection: invalidFields.has('errorCorrection') ? undefined : errorCorrection },
      config.baseUrl,
    );
    if (errors.length > 0 || content === undefined || type === undefined) return errors;
    return hostErrors(findBlocks, type, content, config);
  };
}

/** The rules of PATCH that its schema cannot express. */
export function changedCodeRules(
  db: Database,
  code: QrCode,
  config: RuleConfig,
  findBlocks: FindBlocks = (hosts) => findHostBlocks(db, hosts),
): BodyRules<Static<typeof patchBody>> {
  return async (fields, invalidFields) => {
    const isTypeAlone =
      fields.content === undefined && !invalidFields.has('content') && !invalidFields.has('type');
    if (isTypeAlone && fields.type !== undefined && fields.type !== code.type)
      return [{ field: 'type', message: 'can only be changed together with content' }];
    if (fields.content === undefined && fields.errorCorrection === undefined) return [];
    const { type: given, content, errorCorrection } = { ...code, ...fields };
    const type = invalidFields.has('type') ? undefined : given;
    const known = invalidFields.has('errorCorrection') ? undefined : errorCorrection;
    const errors = contentErrors({ type, content, errorCorrection: known }, config.baseUrl);
    // Reported for the field that was sent, although the stored content is part of the conflict.
    if (fields.content === undefined) {
      return errors.map((error) => ({
        ...error,
        field: 'errorCorrection',
        message: `does not fit the stored content, which ${error.message}`,
      }));
    }
    return errors.length > 0 || type === undefined ? errors : hostErrors(findBlocks, type, content, config);
  };
}

/** Queried each time: a block takes effect at once. */
export async function hostErrors(
  findBlocks: FindBlocks,
  type: CodeType,
  content: string,
  { abuseContact }: RuleConfig,
): Promise<FieldError[]> {
  const blocked = await findBlocks(hostsOf(type, content));
  if (blocked.length === 0) return [];
  const contact = abuseContact === undefined ? '' : `; contact ${abuseContact} if this is a mistake`;
  return [
    {
      field: 'content',
      message: `must not link to a blocked host: ${blocked.join(', ')}${contact}`,
    },
  ];
}
