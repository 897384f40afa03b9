import type { Static } from 'typebox';
import { findCode } from '../../codes/codes.ts';
import { undoDays } from '../../codes/undo-period.ts';
import {
  type Change,
  type ChangeFilter,
  changeActions,
  changeKinds,
  type Fields,
  listChanges,
  type Version,
  versionsOf,
} from '../../history/changes.ts';
import { csvOf, maxCsvRows, type ReadInTurn, withoutPassword } from '../../history/export-changes.ts';
import { noSuchVersion, stateFields } from '../../history/code-state.ts';
import { preparePutBack } from '../../history/put-back.ts';
import { Type, choice, closed, nullable, timestamp, uuid } from '../../schema.ts';
import type { Actor } from '../../store/actor.ts';
import { pageOf, pageQuery, period, periodOf, periodRules, toPage } from './lists.ts';
import { operation } from './operation.ts';
import { codeEtag, presentCode, presentWithCount, readExample, readShape } from './qr-codes.ts';

const actorKinds = ['person', 'key', 'operator', 'service'] as const;

const actorProperties = {
  kind: Type.Unsafe<Actor['kind'] | null>({
    enum: [...actorKinds, null],
    type: ['string', 'null'],
    description:
      '`person`: a member. `key`: an API key. `operator`: of this service. `service`: a job of the service. Null: an older release, which did not say.',
  }),
  id: nullable(uuid('Of the person or the key, or null.')),
};

const plainValue = [{ type: 'string' }, { type: 'number' }, { type: 'boolean' }, { type: 'null' }];
const fieldValue = {
  anyOf: [
    ...plainValue,
    { type: 'array', items: { type: 'string' } },
    { type: 'object', additionalProperties: { anyOf: plainValue } },
  ],
};
const fields = (description: string) =>
  Type.Unsafe<Fields | null>({ type: ['object', 'null'], additionalProperties: fieldValue, description });

const changeProperties = {
  at: timestamp('When it was changed.'),
  action: choice(changeActions, '`trashed`: deleted, but it can be restored. `deleted`: for good.'),
  requestId: nullable(Type.String({ description: 'The `requestId` of the request, or null.' })),
};
const valueProperties = {
  before: fields('The former values of the fields that were changed. Null if it was created.'),
  after: fields('Their new values. Null if it was deleted. What is secret is never in it.'),
};

const versionNumber = (description: string) => Type.Integer({ minimum: 0, description });

export const versionShape = Type.Object(
  {
    version: versionNumber('1, 2, 3 and so on, for each QR code.'),
    ...changeProperties,
    actor: Type.Object(actorProperties, { description: 'Who changed it.' }),
    ...valueProperties,
  },
  { description: 'A version of a QR code: the change that made it, and who made that.' },
);

const versionPage = Type.Object(
  {
    data: Type.Array(versionShape, { description: 'The entries of this page.' }),
    nextCursor: nullable(versionNumber('Send it as `cursor` to get the next page. Null on the last page.')),
  },
  { description: 'One page of versions.' },
);

export const changeShape = Type.Object(
  {
    id: uuid('Identifier of the entry. Used as the pagination cursor.'),
    ...changeProperties,
    actor: Type.Object(
      {
        ...actorProperties,
        name: nullable(
          Type.String({
            description:
              'The address of the person, or the name of the key, at that time. Null after the person has deleted their account.',
          }),
        ),
      },
      { description: 'Who changed it.' },
    ),
    kind: choice(changeKinds, 'What was changed. A code includes its design, share page and file.'),
    subject: Type.Object(
      {
        id: uuid(
          'Of the code, style, key, webhook, person, invitation or workspace; of a brand, that of the workspace.',
        ),
        name: nullable(
          Type.String({ description: 'Its name at that time, or null after it was deleted for good.' }),
        ),
      },
      { description: 'What was changed.' },
    ),
    version: nullable(versionNumber('The version of the QR code that the change has made, or null.')),
    ...valueProperties,
  },
  { description: 'A change of something in the workspace.' },
);

const versionExample: Static<typeof versionShape> = {
  version: 2,
  at: '2026-12-01T08:00:00.000Z',
  action: 'changed',
  requestId: '6f1c1d0e-0f3c-4b0e-9a53-6a4f2f9f6b1d',
  actor: { kind: 'person', id: '01936f3c-2b8d-7c55-a1d2-94c1f7b0a3e6' },
  before: { content: 'https://example.com/menu' },
  after: { content: 'https://example.com/winter' },
};

const { version: _version, actor, ...exampleRest } = versionExample;
const changeExample: Static<typeof changeShape> = {
  id: '01938030-4c00-7b3a-8c1d-5e6f7a8b9c0d',
  ...exampleRest,
  actor: { ...actor, name: 'anna@example.com' },
  kind: 'code',
  subject: { id: '01936f3e-7c1a-7d44-8f0b-2a5c7f0e9b11', name: 'Menu, summer' },
  version: 2,
};

const presentVersion = (entry: Version): Static<typeof versionShape> => ({
  version: entry.version,
  at: entry.at.toISOString(),
  action: entry.action,
  requestId: entry.requestId,
  actor: { kind: entry.actorKind, id: entry.actorId },
  before: entry.before,
  after: entry.after,
});

const presentChange = (entry: Change): Static<typeof changeShape> => ({
  id: entry.id,
  at: entry.at.toISOString(),
  action: entry.action,
  requestId: entry.requestId,
  actor: { kind: entry.actorKind, id: entry.actorId, name: entry.actorName },
  kind: entry.kind,
  subject: { id: entry.subjectId, name: entry.subjectName },
  version: entry.version,
  before: entry.before,
  after: entry.after,
});

export const restoreBody = Type.Object(
  {
    fields: Type.Optional(
      Type.Array(choice(stateFields, 'A field of the QR code.'), {
        minItems: 1,
        maxItems: stateFields.length,
        description: 'Only these fields are restored. The default is all that differ.',
      }),
    ),
    overwrite: Type.Optional(
      Type.Boolean({
        default: false,
        description: 'true: also restores fields that were changed again since.',
      }),
    ),
  },
  { ...closed, description: 'What to restore. Without a body: everything that was not changed again.' },
);

function versionOf(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw noSuchVersion();
  return Number(text);
}

export const versionOperations = [
  operation({
    id: 'listQrCodeVersions',
    method: 'get',
    path: '/qrcodes/{id}/versions',
    scope: 'read',
    summary: 'List the versions of a QR code',
    description:
      'Each change of the code, its design, share page or file is a version of it, newest first. What one request changes is one version. Renewal by a scan is none. `GET /audit` has the names of those who made the changes.',
    query: Type.Object({
      limit: pageQuery('version', { limit: 20, max: 100 }).limit,
      cursor: Type.Optional(
        Type.Integer({
          minimum: 1,
          maximum: 999_999_999,
          description: 'The `nextCursor` of the previous page, which is the `version` of its last entry.',
        }),
      ),
    }),
    success: {
      status: 200,
      description: 'One page of versions.',
      schema: versionPage,
      example: { data: [versionExample], nextCursor: null },
    },
    async handle({ workspaceId, id, query: { limit = 20, cursor } }, { db }) {
      const code = await findCode(db, workspaceId, id);
      const found = await versionsOf(db, code, { limit, before: cursor });
      const shown = found.slice(0, limit);
      const nextCursor = found.length > limit ? (shown.at(-1)?.version ?? null) : null;
      return { data: shown.map(presentVersion), nextCursor };
    },
  }),

  operation({
    id: 'restoreQrCodeVersion',
    method: 'post',
    path: '/qrcodes/{id}/versions/{version}/restore',
    scope: 'codes',
    summary: 'Restore a version of a QR code',
    description: `Makes the code what it was after that version, as a change like any other: with the rules of the other requests, a new version and webhook events. Version 0 of a code that is older than its history is what it was before its first version. If fields that would be restored were changed again after the following version, the answer is a 409 with both values of each, and nothing is changed: send \`overwrite\`, or the \`fields\` that you want. Files and logos can be restored for ${undoDays} days after they were replaced or removed. If the code is like that already, nothing is changed, and a \`Qrelay-Warning\` header says so.`,
    body: restoreBody,
    isBodyOptional: true,
    bodyExample: { fields: ['content'], overwrite: true },
    success: {
      status: 200,
      description: 'The QR code after the change.',
      schema: readShape,
      example: readExample,
      optionalHeaders: ['Qrelay-Warning'],
    },
    isVersioned: true,
    async prepare({ workspaceId, caller, id, parameter, body, warn, versioned, requireMatch }, services) {
      const given = await body();
      const version = versionOf(parameter('version'));
      const perform = await preparePutBack(services, caller, { workspaceId, id }, { version, ...given });
      return async (target) => {
        const { code, restored } = await perform(target.db, target.now(), (current) =>
          requireMatch(codeEtag(presentCode(current, 0, target.config.baseUrl))),
        );
        if (restored.length === 0) warn(['The code is like this version already: nothing was changed.']);
        else target.codeChanged(code.shareToken);
        const shown = await presentWithCount(code, target);
        return versioned(shown, codeEtag(shown));
      };
    },
  }),
];

const auditQuery = {
  actorId: Type.Optional(uuid('Only changes by this person or API key.')),
  kind: Type.Optional(choice(changeKinds, 'Only changes of this.')),
  ...period('changed'),
};

interface AuditQuery {
  actorId?: string;
  kind?: ChangeFilter['kind'];
  from?: string;
  to?: string;
}

const filterOf = ({ actorId, kind, ...rest }: AuditQuery): ChangeFilter => ({
  actorId,
  kind,
  ...periodOf(rest),
});

export const auditOperations = [
  operation({
    id: 'listChanges',
    method: 'get',
    path: '/audit',
    scope: 'audit',
    summary: 'List the changes in a workspace',
    description:
      'Who changed what, newest first: codes, styles, the brand, API keys, webhooks, members, invitations and the workspace itself. An entry is written together with its change. Secrets, passwords and client addresses are never in it, and webhook addresses without their path. The contents of entries about a code are erased when it is deleted for good. Entries are deleted after two years, unless the operator of the service has set another time.',
    query: Type.Object({ ...pageQuery('entry', { limit: 50, max: 500 }), ...auditQuery }),
    queryRules: periodRules,
    success: {
      status: 200,
      description: 'One page of changes.',
      schema: pageOf(changeShape, 'One page of changes.'),
      example: { data: [changeExample], nextCursor: null },
    },
    async handle({ workspaceId, query: { limit = 50, cursor, ...query } }, { db }) {
      const found = await listChanges(db, workspaceId, filterOf(query), { limit, cursor });
      return toPage(found, limit, (entry) => presentChange(withoutPassword(entry)));
    },
  }),

  operation({
    id: 'exportChanges',
    method: 'get',
    path: '/audit.csv',
    scope: 'audit',
    summary: 'Export the changes in a workspace',
    description: `The same as CSV, newest first, up to ${maxCsvRows} entries. \`before\` and \`after\` are JSON. Values that a spreadsheet would run as a formula begin with an apostrophe.`,
    query: Type.Object(auditQuery),
    queryRules: periodRules,
    success: {
      status: 200,
      description: 'The changes.',
      file: { type: 'text/csv', name: 'changes.csv' },
    },
    async handle({ workspaceId, caller, query }, { db, downloads }) {
      const read: ReadInTurn = (work) => downloads.read(caller, work);
      return downloads.stream(caller, async () => csvOf(db, workspaceId, filterOf(query), read));
    },
  }),
];
