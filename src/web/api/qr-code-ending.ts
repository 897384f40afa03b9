import type { Static } from 'typebox';
import { Type, nullable, timestamp } from '../../schema.ts';
import { changeCode, findCode } from '../../codes/codes.ts';
import { hasDefaultEnd } from '../../codes/lifetime.ts';
import type { QrCode } from '../../codes/qr-code.ts';
import type { Config } from '../../config.ts';
import { afterExpiryUrlDescription, endingBody, endingChanges, endingRules } from '../../codes/code-rules.ts';
import { operation } from './operation.ts';

export const endingShape = Type.Object(
  {
    expiresAt: timestamp('When the code stops working.'),
    isRenewedByScans: Type.Boolean({
      description:
        'True: the code has the default lifetime, and a scan in the second half of it renews it for another one. False: `expiresAt` was chosen and is never moved.',
    }),
    afterExpiryUrl: nullable(Type.String({ description: afterExpiryUrlDescription })),
  },
  { description: 'How a QR code ends.' },
);

const example: Static<typeof endingShape> = {
  expiresAt: '2027-11-28T09:30:00.000Z',
  isRenewedByScans: true,
  afterExpiryUrl: null,
};

function presentEnding(code: QrCode, config: Config): Static<typeof endingShape> {
  return {
    expiresAt: code.expiresAt.toISOString(),
    isRenewedByScans: hasDefaultEnd(code, config.qrCodeLifetimeDays),
    afterExpiryUrl: code.afterExpiryUrl,
  };
}

export const endingOperations = [
  operation({
    id: 'readQrCodeEnding',
    method: 'get',
    path: '/qrcodes/{id}/ending',
    scope: 'read',
    summary: 'Read how a QR code ends',
    description:
      'Returns when the code ends, whether scans renew it, and where its share URL leads afterwards.',
    success: { status: 200, description: 'How the code ends.', schema: endingShape, example },
    isVersioned: true,
    async handle({ workspaceId, id, versioned }, { db, config }) {
      const ending = presentEnding(await findCode(db, workspaceId, id), config);
      return versioned(ending);
    },
  }),

  operation({
    id: 'updateQrCodeEnding',
    method: 'patch',
    path: '/qrcodes/{id}/ending',
    scope: 'codes',
    summary: 'Change how a QR code ends',
    description:
      'Send only the fields that you want to change. `"expiresAt": null` returns to the default lifetime, also after the code has expired. Scans see the change within 10 seconds.',
    body: endingBody,
    bodyExample: { afterExpiryUrl: 'https://example.com/closed' },
    otherFields: { isRenewedByScans: 'cannot be set; it is true while expiresAt is not chosen' },
    success: {
      status: 200,
      description: 'How the code ends after the change.',
      schema: endingShape,
      example: { ...example, afterExpiryUrl: 'https://example.com/closed' },
    },
    isVersioned: true,
    async handle({ workspaceId, id, body, versioned, requireMatch }, { db, config, now, codeChanged }) {
      const changed = await changeCode(
        db,
        workspaceId,
        id,
        async (code, transaction) => {
          const given = await body(endingRules(transaction, config));
          requireMatch(presentEnding(code, config));
          return endingChanges(code, given, config.qrCodeLifetimeDays, now());
        },
        now(),
      );
      codeChanged(changed.shareToken);
      const ending = presentEnding(changed, config);
      return versioned(ending);
    },
  }),
];
