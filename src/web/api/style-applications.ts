import type { Static } from 'typebox';
import { listCodes } from '../../codes/codes.ts';
import { requireCodes } from '../../codes/find-codes.ts';
import {
  type StyleApplication,
  findApplication,
  maxAppliedCodes,
  requireApplication,
} from '../../codes/styles/style-applications.ts';
import { findStyle } from '../../codes/styles/styles.ts';
import { idErrors } from '../../codes/validation.ts';
import { type FieldError, invalid } from '../../errors.ts';
import { Type, choice, closed, maxLabelLength, text, timestamp, uuid } from '../../schema.ts';
import type { Database } from '../../store/database.ts';
import { formerField, formerName } from './former-names.ts';
import { operation } from './operation.ts';
import { styleExample } from './styles.ts';
import type { WorkspaceId } from '../../workspaces/workspace.ts';

const ids = {
  minItems: 1,
  maxItems: maxAppliedCodes,
  description: 'The QR codes. Send either these or `category`.',
};
const categoryField = Type.Optional(
  text(`All QR codes with this category, up to ${maxAppliedCodes}. Send either this or \`qrCodeIds\`.`, {
    maxLength: maxLabelLength,
  }),
);

const idList = Type.Array(uuid('Identifier of a QR code.'), ids);

export const applicationBody = Type.Object(
  { qrCodeIds: Type.Optional(idList), category: categoryField, codeIds: formerName(idList, 'qrCodeIds') },
  { ...closed, description: 'The QR codes that get the style.' },
);

/** Ids are checked by `idErrors`: hundreds of errors at once would block other requests. */
const checkedApplicationBody = Type.Object(
  { qrCodeIds: Type.Optional(Type.Unsafe<unknown[]>({ type: 'array', ...ids })), category: categoryField },
  closed,
);

const count = (description: string) => Type.Integer({ minimum: 0, description });

const refusedCode = uuid('Identifier of the QR code.');

export const applicationShape = Type.Object(
  {
    id: uuid('Identifier of the application.'),
    styleId: uuid('Identifier of the style.'),
    status: choice(['pending', 'done'], '`pending` while codes wait, then `done`.'),
    total: count('Number of QR codes. Those that are deleted meanwhile do not count.'),
    pending: count('Number of QR codes that wait.'),
    applied: count('Number of QR codes that have got the style.'),
    refused: Type.Array(
      Type.Object({
        qrCodeId: refusedCode,
        codeId: formerField(refusedCode, 'qrCodeId'),
        reason: Type.String({
          description:
            'Why it stays as it was: phones could not read it in the style, or it got another design meanwhile.',
        }),
      }),
      { description: 'QR codes that stay as they were.' },
    ),
    createdAt: timestamp('When it was requested.'),
  },
  { description: 'A style that is applied to QR codes, and how far it is.' },
);

const applicationExample: Static<typeof applicationShape> = {
  id: '01936f61-3c4d-7e55-9f66-7a8b9c0d1e02',
  styleId: styleExample.id,
  status: 'pending',
  total: 2,
  pending: 2,
  applied: 0,
  refused: [],
  createdAt: '2026-12-01T08:01:00.000Z',
};

function presentApplication(given: StyleApplication): Static<typeof applicationShape> {
  return {
    id: given.id,
    styleId: given.styleId,
    status: given.waiting > 0 ? 'pending' : 'done',
    total: given.total,
    pending: given.waiting,
    applied: given.applied,
    refused: given.refused.map(({ codeId, reason }) => ({ qrCodeId: codeId, codeId, reason })),
    createdAt: given.createdAt.toISOString(),
  };
}

function choiceErrors(given: { qrCodeIds?: unknown; category?: unknown }): FieldError[] {
  if (given.qrCodeIds !== undefined && given.category !== undefined)
    return [{ field: 'category', message: 'must not be sent together with qrCodeIds' }];
  if (given.qrCodeIds === undefined && given.category === undefined)
    return [{ field: 'qrCodeIds', message: 'is required without category' }];
  return [];
}

async function idsOfCategory(
  db: Database,
  workspaceId: WorkspaceId,
  category: string | undefined,
): Promise<string[]> {
  const codes = await listCodes(db, workspaceId, { category }, { limit: maxAppliedCodes });
  if (codes.length > maxAppliedCodes) {
    const message = `has more than ${maxAppliedCodes} QR codes: send their ids in several requests`;
    throw invalid([{ field: 'category', message }]);
  }
  if (codes.length === 0) throw invalid([{ field: 'category', message: 'has no QR codes' }]);
  return codes.map(({ id }) => id);
}

export const applicationOperations = [
  operation({
    id: 'applyStyle',
    method: 'post',
    path: '/styles/{id}/apply',
    scope: 'codes',
    summary: 'Apply a style to QR codes',
    description:
      'Each code is proven on its own, which takes up to a second, so the worker does it after the response. Read the application to see how far it is. Codes that phones could not read in the style stay as they were, and are listed with the reason; so do codes that get another design before their turn. As with a design, a logo may raise the error correction of a code. The result can be read for seven days.',
    body: applicationBody,
    checkedBody: checkedApplicationBody,
    bodyExample: {
      qrCodeIds: ['01936f3e-7c1a-7d44-8f0b-2a5c7f0e9b11', '01936f3e-7c1b-7a22-9b3c-4d5e6f708192'],
    },
    success: {
      status: 202,
      description: 'The codes wait for the style.',
      schema: applicationShape,
      example: applicationExample,
      location: '/style-applications/{id}',
    },
    async handle({ workspaceId, id, body, sentName }, { db, now }) {
      const style = await findStyle(db, workspaceId, id);
      const given = await body(async (fields, invalidFields) => [
        ...idErrors('qrCodeIds', fields.qrCodeIds),
        ...(invalidFields.has('qrCodeIds') || invalidFields.has('category') ? [] : choiceErrors(fields)),
      ]);
      const codeIds = given.qrCodeIds
        ? (await requireCodes(db, workspaceId, given.qrCodeIds, sentName('qrCodeIds'))).map((code) => code.id)
        : await idsOfCategory(db, workspaceId, given.category);
      const wanted = { styleId: style.id, codeIds: [...new Set(codeIds)] };
      return presentApplication(await requireApplication(db, workspaceId, wanted, now()));
    },
  }),

  operation({
    id: 'readStyleApplication',
    method: 'get',
    path: '/style-applications/{id}',
    scope: 'read',
    summary: 'Read how far a style is applied',
    description:
      'Returns how many codes have got the style, and those that stay as they were with the reason.',
    success: {
      status: 200,
      description: 'The application.',
      schema: applicationShape,
      example: { ...applicationExample, status: 'done', pending: 0, applied: 2 },
    },
    async handle({ workspaceId, id }, { db }) {
      return presentApplication(await findApplication(db, workspaceId, id));
    },
  }),
];
