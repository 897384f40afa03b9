import type { Static } from 'typebox';
import type { Config } from '../config.ts';
import type { FieldError } from '../errors.ts';
import { Type, choice, closed, color, label, nullable, text, timestamp } from '../schema.ts';
import type { Database } from '../store/database.ts';
import { findHostBlocks } from './blocks.ts';
import { maxPixels, minPixels } from './design/design.ts';
import type { CodeChanges } from './codes.ts';
import { contentErrors } from './content/content-errors.ts';
import { hostsOf } from './content/hosts.ts';
import { endColumns } from './lifetime.ts';
import { type CodeType, codeTypes, contentType } from './content/content-types.ts';
import { type QrCode, errorCorrections } from './qr-code.ts';
import type { BodyRules } from './validation.ts';

const laterTypes = codeTypes.flatMap((type) => {
  const { since } = contentType(type);
  return since ? [` \`${type}\` exists since release ${since}.`] : [];
});
const typeDescription = `The kind of content.${laterTypes.join('')}`;

/** The fields of a code that its owner sets. */
export const codeFields = {
  name: label(
    'A name for the code. Leading and trailing spaces are removed, and it is stored in Unicode NFC.',
  ),
  type: choice(codeTypes, typeDescription),
  content: text(
    'The encoded content: a URL, text, a vCard payload and so on. The maximum length is what a QR code can hold, which depends on `errorCorrection`: 2953 bytes of UTF-8 at L, 2331 at M, 1663 at Q, 1273 at H. Type `url` requires an absolute http or https URL without user name, password, control characters or surrounding spaces. Content of any type must not link to a share URL of this service. The other types accept either the bare value or the usual payload, for example `+15550100123` or `tel:+15550100123`. Content that cannot be parsed is shown as text.',
  ),
  foregroundColor: color('Color of the modules.'),
  backgroundColor: color('Color of the background.'),
  errorCorrection: choice(
    errorCorrections,
    'Error correction level. H survives the most damage in print, L holds the most content.',
  ),
  size: Type.Integer({
    minimum: minPixels,
    maximum: maxPixels,
    description: 'Width and height of the image in pixels.',
  }),
  category: nullable(label('A label to group codes by, or null.')),
  isPublic: Type.Boolean({ description: 'Whether the share URL works. If false, it answers 404.' }),
};

const withDefault = <Schema extends object>(schema: Schema, value: unknown): Schema => ({
  ...schema,
  default: value,
});

export const createBody = Type.Object(
  {
    name: codeFields.name,
    content: codeFields.content,
    type: Type.Optional(withDefault(codeFields.type, 'url')),
    foregroundColor: Type.Optional(withDefault(codeFields.foregroundColor, '#1a1410')),
    backgroundColor: Type.Optional(withDefault(codeFields.backgroundColor, '#ffffff')),
    errorCorrection: Type.Optional(withDefault(codeFields.errorCorrection, 'M')),
    size: Type.Optional(withDefault(codeFields.size, 512)),
    category: Type.Optional(withDefault(codeFields.category, null)),
    isPublic: Type.Optional(withDefault(codeFields.isPublic, true)),
    expiresAt: Type.Optional(
      timestamp(
        'When the code stops working. Must be in the future. It is never moved then. The default is one year after creation, unless the operator of the service has set another lifetime; a scan in the second half of it renews the code for another one.',
      ),
    ),
  },
  { ...closed, description: 'The QR code to create.' },
);

/** Taken from the schema, which is the only place that defines them. */
export const createDefaults = Object.fromEntries(
  Object.entries(createBody.properties).flatMap(([name, schema]) =>
    'default' in schema ? [[name, schema.default]] : [],
  ),
) as Required<Omit<Static<typeof createBody>, 'name' | 'content' | 'expiresAt'>>;

export const patchBody = Type.Partial(
  Type.Object({
    ...codeFields,
    type: choice(codeTypes, `${typeDescription} Can only be changed together with \`content\`.`),
    isFavorite: Type.Boolean({ description: 'Whether you marked it as a favorite.' }),
    expiresAt: timestamp(
      'When the code stops working. A time in the past expires it at once, a later time extends it. From then on, scans no longer renew the code; `PATCH /qrcodes/{id}/ending` with null returns to that.',
    ),
  }),
  { ...closed, description: 'The fields to change. Omitted fields are not changed.' },
);

export const afterExpiryUrlDescription =
  'Where the share URL leads after `expiresAt`: an absolute http or https URL, with the rules of `content` of type `url`. Null: a page that says that the code has expired. Scans after the end are not counted in either case.';

export const endingBody = Type.Partial(
  Type.Object({
    expiresAt: nullable(
      timestamp(
        'When the code stops working. Null: one default lifetime from now, renewed by scans. A time in the past expires it at once.',
      ),
    ),
    afterExpiryUrl: nullable(text(afterExpiryUrlDescription)),
  }),
  { ...closed, description: 'The fields to change. Omitted fields are not changed.' },
);

const maxPageTextLength = 200;

export const pageDescriptions = {
  title:
    'The public title, for people who scan and on prints. Null: the name of the person in a contact, the title of an event, or else what `showsName` says.',
  text: 'A line below the title, or null.',
  showsName:
    'Whether the page and prints show `name` if `title` is null. If false, they show what the content says itself, such as the name of a Wi-Fi network or the host of a link. Codes that are created by the API start with true, those of the web pages with false.',
  color:
    'The color of buttons and links on the page, or null. It is made darker or lighter where it would be hard to read.',
};

export const pageBody = Type.Partial(
  Type.Object({
    title: nullable(label(pageDescriptions.title)),
    text: nullable(label(pageDescriptions.text, maxPageTextLength)),
    color: nullable(color(pageDescriptions.color)),
    showsName: Type.Boolean({ description: pageDescriptions.showsName }),
  }),
  { ...closed, description: 'The fields to change. Omitted fields are not changed.' },
);
/** Alternative text of the logo on the share page. */
export const maxAltLength = 200;

/** The blocked ones among these hosts, or their parents. */
export type FindBlocks = (hosts: string[]) => Promise<string[]>;
type RuleConfig = Pick<Config, 'baseUrl' | 'abuseContact'>;

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
async function hostErrors(
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

export interface Ending {
  expiresAt?: string | null;
  afterExpiryUrl?: string | null;
}

/** The same rules as for content of type `url`. */
export function endingRules(db: Database, config: RuleConfig): BodyRules<Ending> {
  return async ({ afterExpiryUrl }) => {
    if (afterExpiryUrl === undefined || afterExpiryUrl === null) return [];
    const url = { content: afterExpiryUrl, type: 'url' as const, errorCorrection: undefined };
    const errors = contentErrors(url, config.baseUrl);
    const found =
      errors.length > 0
        ? errors
        : await hostErrors((hosts) => findHostBlocks(db, hosts), 'url', afterExpiryUrl, config);
    return found.map(({ message }) => ({ field: 'afterExpiryUrl', message }));
  };
}

export function endingChanges(
  code: QrCode,
  { expiresAt, afterExpiryUrl }: Ending,
  lifetimeDays: number,
  now: Date,
): CodeChanges {
  const end = expiresAt === undefined ? {} : endChanges(code, expiresAt, lifetimeDays, now);
  return { ...end, ...(afterExpiryUrl !== undefined && { afterExpiryUrl }) };
}

/** The end that a code already has is no choice: clients may send back what they read. */
function endChanges(code: QrCode, expiresAt: string | null, lifetimeDays: number, now: Date): CodeChanges {
  const chosen = expiresAt === null ? null : new Date(expiresAt);
  if (chosen?.getTime() === code.expiresAt.getTime()) return { expiresAt: chosen };
  return endColumns(chosen, lifetimeDays, now);
}
