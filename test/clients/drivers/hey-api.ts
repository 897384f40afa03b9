import { createClient } from '../hey-api/client/index.js';
import {
  createQrCode,
  createQrCodes,
  deleteQrCode,
  deleteQrCodeDesign,
  listQrCodeScans,
  listQrCodes,
  readQrCode,
  readQrCodeAnalytics,
  readQrCodeDesign,
  replaceQrCodeDesign,
  readQrCodeEnding,
  updateQrCode,
  updateQrCodeEnding,
} from '../hey-api/sdk.gen.js';
import type { NewQrCode, QrCode } from '../hey-api/types.gen.js';
import * as schemas from '../hey-api/zod.gen.js';

/** Calls every operation with hey-api. Its zod schemas check requests and responses. */
export async function roundTrip(
  baseUrl: string,
  key: string,
  fetch: typeof globalThis.fetch,
  scan: (id: string) => Promise<void>,
) {
  const client = createClient({ baseUrl, fetch, auth: key, throwOnError: true });

  const body: NewQrCode = schemas.zNewQrCode.parse({ name: 'Menu', content: 'https://example.com/menu' });
  const created = schemas.zCreateQrCodeResponse.parse((await createQrCode({ client, body })).data);
  const { id } = created;
  const path = { id };
  await scan(id);

  const codes = [{ name: 'Table 1', content: 'https://example.com/1' }];
  const bulk = schemas.zCreateQrCodesResponse.parse(
    (await createQrCodes({ client, body: { mode: 'each', codes } })).data,
  );
  const read: QrCode = schemas.zReadQrCodeResponse.parse((await readQrCode({ client, path })).data);
  // Fails to compile where the enum is `unknown`.
  const types: QrCode['type'][] = [created.type, read.type];
  const list = schemas.zListQrCodesResponse.parse(
    (await listQrCodes({ client, query: { limit: 5, type: types[0] ?? 'url', expiringWithinDays: 366 } }))
      .data,
  );
  const changes = {
    name: '🎉'.repeat(100),
    type: 'text' as const,
    content: 'Closed today',
    category: null,
    isFavorite: true,
  };
  const changed = schemas.zUpdateQrCodeResponse.parse(
    (await updateQrCode({ client, path, body: changes })).data,
  );
  const ending = schemas.zUpdateQrCodeEndingResponse.parse(
    (
      await updateQrCodeEnding({
        client,
        path,
        body: { expiresAt: null, afterExpiryUrl: 'https://example.com/closed' },
      })
    ).data,
  );
  const ended = schemas.zReadQrCodeEndingResponse.parse((await readQrCodeEnding({ client, path })).data);
  const scans = schemas.zListQrCodeScansResponse.parse((await listQrCodeScans({ client, path })).data);
  const analytics = schemas.zReadQrCodeAnalyticsResponse.parse(
    (await readQrCodeAnalytics({ client, path, query: { days: 7 } })).data,
  );
  const newDesign = {
    moduleShape: 'dots' as const,
    frame: 'card' as const,
    frameText: 'Scan me',
    frameColor: null,
  };
  const designed = schemas.zReplaceQrCodeDesignResponse.parse(
    (await replaceQrCodeDesign({ client, path, body: newDesign })).data,
  );
  const design = schemas.zReadQrCodeDesignResponse.parse((await readQrCodeDesign({ client, path })).data);
  const plain = await deleteQrCodeDesign({ client, path });
  const deleted = await deleteQrCode({ client, path });
  const gone = await readQrCode({ client, path, throwOnError: false });

  return {
    created: created.name,
    bulk: bulk.data[0]?.code?.name,
    read: read.scanCount,
    listed: list.data.map((code) => code.id).includes(id),
    changed: changed.name,
    changedType: changed.type,
    isRenewedByScans: ending.isRenewedByScans,
    afterExpiryUrl: ended.afterExpiryUrl,
    scans: scans.data.map(({ device, city }) => `${device} ${city ?? 'nowhere'}`),
    analytics: analytics.byDevice[0]?.device,
    designed: [designed.readsAtMm, design.moduleShape, plain.response.status],
    deleted: deleted.response.status,
    error: schemas.zError.parse(gone.error).error,
  };
}
