import { createClient } from '../hey-api/client/index.js';
import {
  applyStyle,
  createQrCode,
  createQrCodes,
  createStyle,
  createWebhook,
  deleteQrCode,
  deleteQrCodeDesign,
  deleteQrCodeFile,
  deleteQrCodeLogo,
  deleteQrCodes,
  deleteQrCodePhoto,
  deleteQrCodePageLogo,
  deleteStyle,
  deleteStyleLogo,
  deleteWebhook,
  downloadQrCodeFiles,
  exportChanges,
  listChanges,
  listQrCodeScans,
  listQrCodeVersions,
  listQrCodes,
  listStyles,
  listWebhookDeliveries,
  listWebhooks,
  printQrCodeLabels,
  readAccount,
  readQrCode,
  readQrCodeAnalytics,
  readQrCodeDesign,
  readQrCodeEnding,
  readQrCodeFile,
  readQrCodeLogo,
  readQrCodePage,
  readQrCodePhoto,
  replaceQrCodeFile,
  replaceQrCodePhoto,
  readQrCodePageLogo,
  readStyle,
  readStyleApplication,
  readStyleLogo,
  readWebhook,
  readWebhookDelivery,
  replaceQrCodeDesign,
  replaceQrCodeLogo,
  replaceQrCodePageLogo,
  replaceStyleLogo,
  replayWebhook,
  retryWebhookDelivery,
  restoreQrCode,
  restoreQrCodeVersion,
  rotateWebhookSecret,
  testWebhook,
  updateQrCode,
  updateQrCodeEnding,
  updateQrCodePage,
  updateQrCodes,
  updateStyle,
  updateWebhook,
} from '../hey-api/sdk.gen.js';
import type { NewQrCode, QrCode } from '../hey-api/types.gen.js';
import * as schemas from '../hey-api/zod.gen.js';

/** A PNG of one black pixel. */
const onePixel = Uint8Array.from(
  atob('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGNgYGAAAAAEAAH2FzhVAAAAAElFTkSuQmCC'),
  (character) => character.charCodeAt(0),
);

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

  const qrCodes = [{ name: 'Table 1', content: 'https://example.com/1' }];
  const bulk = schemas.zCreateQrCodesResponse.parse(
    (await createQrCodes({ client, body: { mode: 'each', qrCodes } })).data,
  );
  const bulkId = bulk.data[0]?.qrCode?.id ?? '';
  const bulkChanges = schemas.zChangedQrCodes.parse({ qrCodes: [{ id: bulkId, size: 256 }] });
  const bulkChanged = schemas.zUpdateQrCodesResponse.parse(
    (await updateQrCodes({ client, body: bulkChanges })).data,
  );
  const bulkDeleted = await deleteQrCodes({ client, body: { qrCodeIds: [bulkId] } });
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
  schemas.zUpdateQrCodePageResponse.parse(
    (await updateQrCodePage({ client, path, body: { title: 'Café', text: null, color: '#7a1f3d' } })).data,
  );
  const page = schemas.zReadQrCodePageResponse.parse((await readQrCodePage({ client, path })).data);
  const scans = schemas.zListQrCodeScansResponse.parse((await listQrCodeScans({ client, path })).data);
  const analytics = schemas.zReadQrCodeAnalyticsResponse.parse(
    (await readQrCodeAnalytics({ client, path, query: { days: 7 } })).data,
  );
  const labels = await printQrCodeLabels({ client, body: { qrCodeIds: [id], sheet: 'L7160' } });
  const files = await downloadQrCodeFiles({ client, body: { qrCodeIds: [id], format: 'svg' } });
  const startOf = async (file: Blob | undefined) => file?.slice(0, 2).text();
  const hook = schemas.zCreateWebhookResponse.parse(
    (
      await createWebhook({
        client,
        body: { url: 'https://example.com/hook', name: 'CRM', events: ['code.deleted'], qrCodeIds: [id] },
      })
    ).data,
  );
  const at = { id: hook.id };
  const hooks = schemas.zListWebhooksResponse.parse((await listWebhooks({ client })).data);
  const hookRead = schemas.zReadWebhookResponse.parse((await readWebhook({ client, path: at })).data);
  schemas.zUpdateWebhookResponse.parse(
    (await updateWebhook({ client, path: at, body: { events: ['scan.recorded'], qrCodeIds: null } })).data,
  );
  const rotated = schemas.zRotateWebhookSecretResponse.parse(
    (await rotateWebhookSecret({ client, path: at })).data,
  );
  schemas.zTestWebhookResponse.parse((await testWebhook({ client, path: at })).data);
  const log = schemas.zListWebhookDeliveriesResponse.parse(
    (await listWebhookDeliveries({ client, path: at, query: { limit: 5 } })).data,
  );
  const delivery = { id: log.data[0]?.id ?? '' };
  const detail = schemas.zReadWebhookDeliveryResponse.parse(
    (await readWebhookDelivery({ client, path: delivery })).data,
  );
  schemas.zRetryWebhookDeliveryResponse.parse((await retryWebhookDelivery({ client, path: delivery })).data);
  const period = { from: new Date(Date.now() - 60_000).toISOString(), to: new Date().toISOString() };
  const replayed = schemas.zReplayWebhookResponse.parse(
    (await replayWebhook({ client, path: at, body: period })).data,
  );
  const hookDeleted = await deleteWebhook({ client, path: at });
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
  const logo = schemas.zReplaceQrCodeLogoResponse.parse(
    (await replaceQrCodeLogo({ client, path, body: new Blob([onePixel], { type: 'image/png' }) })).data,
  );
  const logoRead = schemas.zReadQrCodeLogoResponse.parse((await readQrCodeLogo({ client, path })).data);
  const logoDeleted = await deleteQrCodeLogo({ client, path });
  const card = {
    name: 'Ann',
    type: 'vcard' as const,
    content: 'BEGIN:VCARD\nVERSION:3.0\nFN:Ann\nEND:VCARD',
  };
  const person = schemas.zCreateQrCodeResponse.parse((await createQrCode({ client, body: card })).data);
  const contact = { id: person.id };
  // Of several media types, the first would be sent.
  const headers = { 'Content-Type': 'image/png' };
  const picture = new Blob([onePixel], { type: 'image/png' });
  const photographed = schemas.zReplaceQrCodePhotoResponse.parse(
    (await replaceQrCodePhoto({ client, path: contact, headers, body: picture })).data,
  );
  const photo = schemas.zReadQrCodePhotoResponse.parse(
    (await readQrCodePhoto({ client, path: contact })).data,
  );
  const photoDeleted = await deleteQrCodePhoto({ client, path: contact });
  const uploaded = schemas.zReplaceQrCodeFileResponse.parse(
    (await replaceQrCodeFile({ client, path: contact, query: { name: 'Menu' }, headers, body: picture }))
      .data,
  );
  const file = schemas.zReadQrCodeFileResponse.parse((await readQrCodeFile({ client, path: contact })).data);
  const fileDeleted = await deleteQrCodeFile({ client, path: contact });
  const plain = await deleteQrCodeDesign({ client, path });
  const pageLogo = schemas.zReplaceQrCodePageLogoResponse.parse(
    (await replaceQrCodePageLogo({ client, path, query: { alt: 'Café' }, body: picture })).data,
  );
  const pageLogoRead = schemas.zReadQrCodePageLogoResponse.parse(
    (await readQrCodePageLogo({ client, path })).data,
  );
  const pageLogoDeleted = await deleteQrCodePageLogo({ client, path });
  const style = schemas.zCreateStyleResponse.parse(
    (await createStyle({ client, body: { name: 'Summer', moduleShape: 'dots' } })).data,
  );
  const styleAt = { id: style.id };
  const styles = schemas.zListStylesResponse.parse((await listStyles({ client })).data);
  const styleRead = schemas.zReadStyleResponse.parse((await readStyle({ client, path: styleAt })).data);
  const styleChanged = schemas.zUpdateStyleResponse.parse(
    (await updateStyle({ client, path: styleAt, body: { name: 'Winter' } })).data,
  );
  const styleLogo = schemas.zReplaceStyleLogoResponse.parse(
    (await replaceStyleLogo({ client, path: styleAt, body: picture })).data,
  );
  const styleLogoRead = schemas.zReadStyleLogoResponse.parse(
    (await readStyleLogo({ client, path: styleAt })).data,
  );
  const styleLogoDeleted = await deleteStyleLogo({ client, path: styleAt });
  const applied = schemas.zApplyStyleResponse.parse(
    (await applyStyle({ client, path: styleAt, body: { qrCodeIds: [id] } })).data,
  );
  const application = schemas.zReadStyleApplicationResponse.parse(
    (await readStyleApplication({ client, path: { id: applied.id } })).data,
  );
  const styleDeleted = await deleteStyle({ client, path: styleAt });
  const account = schemas.zReadAccountResponse.parse((await readAccount({ client })).data);
  const versions = schemas.zListQrCodeVersionsResponse.parse(
    (await listQrCodeVersions({ client, path, query: { limit: 100 } })).data,
  );
  const putBack = schemas.zRestoreQrCodeVersionResponse.parse(
    (
      await restoreQrCodeVersion({
        client,
        path: { id, version: '1' },
        body: { fields: ['name'], overwrite: true },
      })
    ).data,
  );
  const listed = schemas.zListChangesResponse.parse(
    (await listChanges({ client, query: { kind: 'code', limit: 1 } })).data,
  );
  const changesFile = await exportChanges({ client });
  const deleted = await deleteQrCode({ client, path });
  const gone = await readQrCode({ client, path, throwOnError: false });
  const trash = schemas.zListQrCodesResponse.parse(
    (await listQrCodes({ client, query: { state: 'trashed' } })).data,
  );
  const restored = schemas.zRestoreQrCodeResponse.parse((await restoreQrCode({ client, path })).data);
  const purged = await deleteQrCode({ client, path, query: { permanently: true } });

  return {
    created: created.name,
    bulk: [bulk.data[0]?.qrCode?.name, bulkChanged.data[0]?.qrCode.size, bulkDeleted.response.status],
    read: read.scanCount,
    listed: list.data.map((code) => code.id).includes(id),
    changed: changed.name,
    changedType: changed.type,
    isRenewedByScans: ending.isRenewedByScans,
    afterExpiryUrl: ended.afterExpiryUrl,
    pageTitle: page.title,
    scans: scans.data.map(({ device, city }) => `${device} ${city ?? 'nowhere'}`),
    analytics: analytics.byDevice[0]?.device,
    labels: await startOf(labels.data),
    files: await startOf(files.data),
    webhook: [hooks.data[0]?.name, hookRead.qrCodeIds?.[0] === id, rotated.secret.slice(0, 6)],
    delivery: [log.data[0]?.type, detail.status, replayed.scans],
    webhookDeleted: hookDeleted.response.status,
    designed: [(designed.readsAtMm ?? 0) > 0, design.moduleShape, plain.response.status],
    logo: [typeof logo.logo, logoRead.logo === logo.logo, logoDeleted.response.status],
    photo: [photographed.bytes === photo.bytes, photoDeleted.response.status],
    file: [uploaded.name, file.mediaType, fileDeleted.response.status],
    pageLogo: [pageLogo.alt, pageLogoRead.alt, pageLogoDeleted.response.status],
    style: [
      style.name,
      styleChanged.name,
      styles.data.length,
      styleRead.moduleShape,
      typeof styleLogo.logo,
      styleLogoRead.logo === styleLogo.logo,
      styleLogoDeleted.response.status,
    ],
    styled: [applied.total, application.styleId === style.id, styleDeleted.response.status],
    account: [account.plan, account.limits.codes, account.use.webhooks],
    history: [
      versions.data.at(-1)?.action,
      versions.data.at(-1)?.after?.['name'],
      putBack.name,
      listed.data[0]?.subject.id === id,
      String(changesFile.data).slice(0, 12),
    ],
    deleted: deleted.response.status,
    trash: [typeof trash.data[0]?.deletedAt, restored.id === id, purged.response.status],
    error: schemas.zError.parse(gone.error).error,
  };
}
