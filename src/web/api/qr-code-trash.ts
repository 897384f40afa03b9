import type { QrCode } from '../../codes/qr-code.ts';
import { deleteCode, restoreCode, trashCode } from '../../codes/trash.ts';
import { undoDays } from '../../codes/undo-period.ts';
import { Type } from '../../schema.ts';
import { operation } from './operation.ts';
import { codeEtag, presentCode, presentWithCount, readExample, readShape } from './qr-codes.ts';

export const deleteQrCode = operation({
  id: 'deleteQrCode',
  method: 'delete',
  path: '/qrcodes/{id}',
  scope: 'codes',
  summary: 'Delete a QR code',
  description: `Moves the code to the trash: every request for it answers 404, and within 10 seconds so does its share URL. For ${undoDays} days, \`POST /qrcodes/{id}/restore\` brings it back. With \`permanently=true\`, the code and all its scans are deleted at once, also if it is in the trash already.`,
  query: Type.Object({
    permanently: Type.Optional(
      Type.Boolean({
        default: false,
        description: 'true: deletes the code for good. It cannot be restored.',
      }),
    ),
  }),
  success: { status: 204, description: 'The QR code was deleted.' },
  isVersioned: true,
  async handle({ workspaceId, id, query, requireMatch }, { db, config, codeChanged }) {
    const check = (code: QrCode) => requireMatch(codeEtag(presentCode(code, 0, config.baseUrl)));
    const { shareToken } = query.permanently
      ? await deleteCode(db, workspaceId, id, check)
      : await trashCode(db, workspaceId, id, config.limits, check);
    codeChanged(shareToken);
  },
});

export const restoreQrCode = operation({
  id: 'restoreQrCode',
  method: 'post',
  path: '/qrcodes/{id}/restore',
  scope: 'codes',
  summary: 'Restore a deleted QR code',
  description: `Takes a code out of the trash, up to ${undoDays} days after it was deleted, with its share URL, scans, design, page and files. It needs room among the codes that the account may have, as a new one does. A code that has expired meanwhile stays expired. Webhook endpoints get \`code.created\`.`,
  success: { status: 200, description: 'The QR code, as it was.', schema: readShape, example: readExample },
  isVersioned: true,
  async handle({ workspaceId, id, versioned, requireMatch }, services) {
    const { db, config, codeChanged } = services;
    const code = await restoreCode(db, workspaceId, id, config.limits, (trashed) =>
      requireMatch(codeEtag(presentCode(trashed, 0, config.baseUrl))),
    );
    codeChanged(code.shareToken);
    const shown = await presentWithCount(code, services);
    return versioned(shown, codeEtag(shown));
  },
});
