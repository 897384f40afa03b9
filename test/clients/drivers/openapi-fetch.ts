import createClient from 'openapi-fetch';
import type { components, paths } from '../openapi-typescript/schema.js';

type QrCode = components['schemas']['QrCode'];

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
    body: { codes: [{ name: 'Table 1', content: 'https://example.com/1' }] },
  });
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
  const scans = await client.GET('/qrcodes/{id}/scans', { params: { path } });
  const analytics = await client.GET('/qrcodes/{id}/analytics', { params: { path, query: { days: 7 } } });
  const designed = await client.PUT('/qrcodes/{id}/design', {
    params: { path },
    body: { moduleShape: 'dots', frame: 'card', frameText: 'Scan me', frameColor: null },
  });
  const design = await client.GET('/qrcodes/{id}/design', { params: { path } });
  const plain = await client.DELETE('/qrcodes/{id}/design', { params: { path } });
  const deleted = await client.DELETE('/qrcodes/{id}', { params: { path } });
  const gone = await client.GET('/qrcodes/{id}', { params: { path } });
  const error: components['schemas']['Error']['error'] | undefined = gone.error?.error;

  return {
    created: created.data.name,
    bulk: bulk.data?.data[0]?.code?.name,
    read: read.data?.scanCount,
    listed: list.data?.data.map((code: QrCode) => code.id).includes(id),
    changed: changed.data?.name,
    changedType: changed.data?.type,
    isRenewedByScans: ending.data?.isRenewedByScans,
    afterExpiryUrl: ended.data?.afterExpiryUrl,
    scans: scans.data?.data.map(({ device, city }) => `${device} ${city ?? 'nowhere'}`),
    analytics: analytics.data?.byDevice[0]?.device,
    designed: [designed.data?.readsAtMm, design.data?.moduleShape, plain.response.status],
    deleted: deleted.response.status,
    error,
  };
}
