import type { Static } from 'typebox';
import { findHostBlocks } from '../../codes/blocks.ts';
import { contentErrors } from '../../codes/content/content-errors.ts';
import { hostsOf } from '../../codes/content/hosts.ts';
import type { CodeType, QrCode } from '../../codes/qr-code.ts';
import type { Config } from '../../config.ts';
import type { FieldError } from '../../errors.ts';
import type { Database } from '../../store/database.ts';
import type { BodyRules } from './operation.ts';
import { type createBody, createDefaults, type patchBody } from './qr-code-shapes.ts';

type RuleConfig = Pick<Config, 'baseUrl' | 'abuseContact'>;

/** What the schema of a new code cannot say. */
export function newCodeRules(
  db: Database,
  config: RuleConfig,
  now: Date,
): BodyRules<Static<typeof createBody>> {
  const ofContent = newContentRules(db, config);
  return async (fields, bad) => {
    const { expiresAt } = fields;
    const isOver = expiresAt !== undefined && new Date(expiresAt) <= now;
    const errors = await ofContent(fields, bad);
    return isOver ? [...errors, { field: 'expiresAt', message: 'must be in the future' }] : errors;
  };
}

function newContentRules(db: Database, config: RuleConfig): BodyRules<Static<typeof createBody>> {
  return async (fields, bad) => {
    const { type: given, errorCorrection, content } = { ...createDefaults, ...fields };
    const type = bad.has('type') ? undefined : given;
    const errors = contentErrors(
      { content, type, errorCorrection: bad.has('errorCorrection') ? undefined : errorCorrection },
      config.baseUrl,
    );
    if (errors.length > 0 || content === undefined || type === undefined) return errors;
    return hostErrors(db, type, content, config);
  };
}

/** A body that was found sound, as it is stored. */
export function toStored<Body extends { expiresAt?: string }>({
  expiresAt,
  ...given
}: Body): Omit<Body, 'expiresAt'> & { expiresAt?: Date } {
  return expiresAt === undefined ? given : { ...given, expiresAt: new Date(expiresAt) };
}

/** What the schema of a change cannot say. */
export function changedCodeRules(
  db: Database,
  code: QrCode,
  config: RuleConfig,
): BodyRules<Static<typeof patchBody>> {
  return async (fields, bad) => {
    const isTypeAlone = fields.content === undefined && !bad.has('content') && !bad.has('type');
    if (isTypeAlone && fields.type !== undefined && fields.type !== code.type)
      return [{ field: 'type', message: 'changes only together with content: send both' }];
    if (fields.content === undefined && fields.errorCorrection === undefined) return [];
    const { type: given, content, errorCorrection } = { ...code, ...fields };
    const type = bad.has('type') ? undefined : given;
    const known = bad.has('errorCorrection') ? undefined : errorCorrection;
    const errors = contentErrors({ type, content, errorCorrection: known }, config.baseUrl);
    // What was changed is what is at fault, even where the two only clash.
    if (fields.content === undefined) {
      return errors.map((error) => ({
        ...error,
        field: 'errorCorrection',
        message: `does not fit the content, which ${error.message}`,
      }));
    }
    return errors.length > 0 || type === undefined ? errors : hostErrors(db, type, content, config);
  };
}

/** Asked for each time: a block holds from when it is made. */
async function hostErrors(
  db: Database,
  type: CodeType,
  content: string,
  { abuseContact }: RuleConfig,
): Promise<FieldError[]> {
  const blocked = await findHostBlocks(db, hostsOf(type, content));
  if (blocked.length === 0) return [];
  const whom = abuseContact === undefined ? '' : `; if that is a mistake, turn to ${abuseContact}`;
  return [
    {
      field: 'content',
      message: `must not lead to ${blocked.join(' or ')}, a host that is blocked here${whom}`,
    },
  ];
}
