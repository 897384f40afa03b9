import createClient from 'openapi-fetch';
import type { components, paths } from '../openapi-typescript/schema.js';

type QrCode = components['schemas']['QrCode'];

/** A PNG of one black pixel. */
const onePixel = Uint8Array.from(
  atob('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGNgYGAAAAAEAAH2FzhVAAAAAElFTkSuQmCC'),
  (character) => character.charCodeAt(0),
);

/** Calls every operation with openapi-typescript and openapi-fetch. */
export async function roundTrip(
  baseUrl: string,
  key: string,
  fetch: typeof globalThis.fetch,
  scan: (id: string) => Promise<void>,
) {
  const client = createClient<paths>({ baseUrl, fetch, headers: { Authorization: `Bearer ${key}` } });

  // Required fields only: those with a default are optional.
  const created = await client.POST('/qrcodes', {
    body: { name: 'Menu', content: 'https://example.com/menu' },
  });
  if (!created.data) throw new Error(created.error.message);
  const { id, type }: Pick<QrCode, 'id' | 'type'> = created.data;
  const path = { id };
  await scan(id);

  const bulk = await client.POST('/qrcodes/bulk', {
    body: { qrCodes: [{ name: 'Table 1', content: 'https://example.com/1' }] },
  });
  const bulkId = bulk.data?.data[0]?.qrCode?.id ?? '';
  const bulkChanged = await client.PATCH('/qrcodes/bulk', { body: { qrCodes: [{ id: bulkId, size: 256 }] } });
  const bulkDeleted = await client.DELETE('/qrcodes/bulk', { body: { qrCodeIds: [bulkId] } });
  const read = await client.GET('/qrcodes/{id}', { params: { path } });
  const list = await client.GET('/qrcodes', {
    params: { query: { limit: 5, type, expiringWithinDays: 366 } },
  });
  const changed = await client.PATCH('/qrcodes/{id}', {
    params: { path },
    body: {
      name: 'Menu 2',
      type: 'text',
      content: 'Closed today',
      category: null,
      isFavorite: true,
      expiresAt: '2099-01-01T00:00:00Z',
    },
  });
  const ending = await client.PATCH('/qrcodes/{id}/ending', {
    params: { path },
    body: { expiresAt: null, afterExpiryUrl: 'https://example.com/closed' },
  });
  const ended = await client.GET('/qrcodes/{id}/ending', { params: { path } });
  await client.PATCH('/qrcodes/{id}/page', {
    params: { path },
    body: { title: 'Café', text: null, color: '#7a1f3d' },
  });
  const page = await client.GET('/qrcodes/{id}/page', { params: { path } });
  const scans = await client.GET('/qrcodes/{id}/scans', { params: { path } });
  const analytics = await client.GET('/qrcodes/{id}/analytics', { params: { path, query: { days: 7 } } });
  const labels = await client.POST('/qrcodes/labels', {
    body: { qrCodeIds: [id], sheet: 'L7160' },
    parseAs: 'blob',
  });
  const files = await client.POST('/qrcodes/files', {
    body: { qrCodeIds: [id], format: 'svg' },
    parseAs: 'blob',
  });
  // The types say string for every binary format.
  const startOf = async (file: unknown) => (file instanceof Blob ? file.slice(0, 2).text() : undefined);
  const hook = await client.POST('/webhooks', {
    body: { url: 'https://example.com/hook', name: 'CRM', events: ['code.deleted'], qrCodeIds: [id] },
  });
  if (!hook.data) throw new Error(hook.error.message);
  const at = { path: { id: hook.data.id } };
  const hooks = await client.GET('/webhooks');
  const hookRead = await client.GET('/webhooks/{id}', { params: at });
  await client.PATCH('/webhooks/{id}', { params: at, body: { events: ['scan.recorded'], qrCodeIds: null } });
  const rotated = await client.POST('/webhooks/{id}/rotate-secret', { params: at });
  await client.POST('/webhooks/{id}/test', { params: at });
  const log = await client.GET('/webhooks/{id}/deliveries', { params: { ...at, query: { limit: 5 } } });
  const delivery = { path: { id: log.data?.data[0]?.id ?? '' } };
  const detail = await client.GET('/webhook-deliveries/{id}', { params: delivery });
  await client.POST('/webhook-deliveries/{id}/retry', { params: delivery });
  const period = { from: new Date(Date.now() - 60_000).toISOString(), to: new Date().toISOString() };
  const replayed = await client.POST('/webhooks/{id}/replay', { params: at, body: period });
  const hookDeleted = await client.DELETE('/webhooks/{id}', { params: at });
  const designed = await client.PUT('/qrcodes/{id}/design', {
    params: { path },
    body: { moduleShape: 'dots', frame: 'card', frameText: 'Scan me', frameColor: null },
  });
  const design = await client.GET('/qrcodes/{id}/design', { params: { path } });
  const logo = await client.PUT('/qrcodes/{id}/design/logo', {
    params: { path },
    // The types say string for every binary format.
    body: '',
    headers: { 'Content-Type': 'image/png' },
    bodySerializer: () => onePixel,
  });
  const logoRead = await client.GET('/qrcodes/{id}/design/logo', { params: { path } });
  const logoDeleted = await client.DELETE('/qrcodes/{id}/design/logo', { params: { path } });
  const person = await client.POST('/qrcodes', {
    body: { name: 'Ann', type: 'vcard', content: 'BEGIN:VCARD\nVERSION:3.0\nFN:Ann\nEND:VCARD' },
  });
  const contact = { id: person.data?.id ?? '' };
  // The types say string for every binary format.
  const sent = {
    body: '',
    headers: { 'Content-Type': 'image/png' },
    bodySerializer: () => onePixel,
  } as const;
  const photographed = await client.PUT('/qrcodes/{id}/photo', { params: { path: contact }, ...sent });
  const photo = await client.GET('/qrcodes/{id}/photo', { params: { path: contact } });
  const photoDeleted = await client.DELETE('/qrcodes/{id}/photo', { params: { path: contact } });
  const uploaded = await client.PUT('/qrcodes/{id}/file', {
    params: { path: contact, query: { name: 'Menu' } },
    ...sent,
  });
  const file = await client.GET('/qrcodes/{id}/file', { params: { path: contact } });
  const fileDeleted = await client.DELETE('/qrcodes/{id}/file', { params: { path: contact } });
  const plain = await client.DELETE('/qrcodes/{id}/design', { params: { path } });
  const pageLogo = await client.PUT('/qrcodes/{id}/page/logo', {
    params: { path, query: { alt: 'Café' } },
    body: '',
    headers: { 'Content-Type': 'image/png' },
    bodySerializer: () => onePixel,
  });
  const pageLogoRead = await client.GET('/qrcodes/{id}/page/logo', { params: { path } });
  const pageLogoDeleted = await client.DELETE('/qrcodes/{id}/page/logo', { params: { path } });
  const style = await client.POST('/styles', { body: { name: 'Summer', moduleShape: 'dots' } });
  if (!style.data) throw new Error(style.error.message);
  const styleAt = { path: { id: style.data.id } };
  const styles = await client.GET('/styles');
  const styleRead = await client.GET('/styles/{id}', { params: styleAt });
  const styleChanged = await client.PATCH('/styles/{id}', { params: styleAt, body: { name: 'Winter' } });
  const styleLogo = await client.PUT('/styles/{id}/logo', {
    params: styleAt,
    body: '',
    headers: { 'Content-Type': 'image/png' },
    bodySerializer: () => onePixel,
  });
  const styleLogoRead = await client.GET('/styles/{id}/logo', { params: styleAt });
  const styleLogoDeleted = await client.DELETE('/styles/{id}/logo', { params: styleAt });
  const applied = await client.POST('/styles/{id}/apply', { params: styleAt, body: { qrCodeIds: [id] } });
  const application = await client.GET('/style-applications/{id}', {
    params: { path: { id: applied.data?.id ?? '' } },
  });
  const styleDeleted = await client.DELETE('/styles/{id}', { params: styleAt });
  const account = await client.GET('/account');
  const versions = await client.GET('/qrcodes/{id}/versions', { params: { path, query: { limit: 100 } } });
  const putBack = await client.POST('/qrcodes/{id}/versions/{version}/restore', {
    params: { path: { id, version: '1' } },
    body: { fields: ['name'], overwrite: true },
  });
  const changes = await client.GET('/audit', { params: { query: { kind: 'code', limit: 1 } } });
  const changesFile = await client.GET('/audit.csv', { parseAs: 'text' });
  const deleted = await client.DELETE('/qrcodes/{id}', { params: { path } });
  const gone = await client.GET('/qrcodes/{id}', { params: { path } });
  const trash = await client.GET('/qrcodes', { params: { query: { state: 'trashed' } } });
  const restored = await client.POST('/qrcodes/{id}/restore', { params: { path } });
  const purged = await client.DELETE('/qrcodes/{id}', { params: { path, query: { permanently: true } } });
  const error: components['schemas']['Error']['error'] | undefined = gone.error?.error;

  return {
    created: created.data.name,
    bulk: [
      bulk.data?.data[0]?.qrCode?.name,
      bulkChanged.data?.data[0]?.qrCode.size,
      bulkDeleted.response.status,
    ],
    read: read.data?.scanCount,
    listed: list.data?.data.map((code: QrCode) => code.id).includes(id),
    changed: changed.data?.name,
    changedType: changed.data?.type,
    isRenewedByScans: ending.data?.isRenewedByScans,
    afterExpiryUrl: ended.data?.afterExpiryUrl,
    pageTitle: page.data?.title,
    scans: scans.data?.data.map(({ device, city }) => `${device} ${city ?? 'nowhere'}`),
    analytics: analytics.data?.byDevice[0]?.device,
    labels: await startOf(labels.data),
    files: await startOf(files.data),
    webhook: [
      hooks.data?.data[0]?.name,
      hookRead.data?.qrCodeIds?.[0] === id,
      rotated.data?.secret.slice(0, 6),
    ],
    delivery: [log.data?.data[0]?.type, detail.data?.status, replayed.data?.scans],
    webhookDeleted: hookDeleted.response.status,
    designed: [(designed.data?.readsAtMm ?? 0) > 0, design.data?.moduleShape, plain.response.status],
    logo: [typeof logo.data?.logo, logoRead.data?.logo === logo.data?.logo, logoDeleted.response.status],
    photo: [photographed.data?.bytes === photo.data?.bytes, photoDeleted.response.status],
    file: [uploaded.data?.name, file.data?.mediaType, fileDeleted.response.status],
    pageLogo: [pageLogo.data?.alt, pageLogoRead.data?.alt, pageLogoDeleted.response.status],
    style: [
      style.data.name,
      styleChanged.data?.name,
      styles.data?.data.length,
      styleRead.data?.moduleShape,
      typeof styleLogo.data?.logo,
      styleLogoRead.data?.logo === styleLogo.data?.logo,
      styleLogoDeleted.response.status,
    ],
    styled: [applied.data?.total, application.data?.styleId === style.data.id, styleDeleted.response.status],
    account: [account.data?.plan, account.data?.limits.codes, account.data?.use.webhooks],
    history: [
      versions.data?.data.at(-1)?.action,
      versions.data?.data.at(-1)?.after?.['name'],
      putBack.data?.name,
      changes.data?.data[0]?.subject.id === id,
      changesFile.data?.slice(0, 12),
    ],
    deleted: deleted.response.status,
    trash: [typeof trash.data?.data[0]?.deletedAt, restored.data?.id === id, purged.response.status],
    error,
  };
}
