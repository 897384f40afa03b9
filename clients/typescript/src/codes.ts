import { QrelayError } from './errors.ts';
import { everyItem, type Page, queryString } from './paging.ts';
import type { components, operations } from './schema.ts';
import type { ApiRequest, RequestOptions } from './send.ts';
import { matching, type VersionOptions } from './versions.ts';

type Schemas = components['schemas'];
type RequestBodies = components['requestBodies'];

export type QrCode = Schemas['QrCode'];
/** In the trash, with `deletedAt`. */
export type ListedQrCode = Schemas['ListedQrCode'];
export type CreatedQrCode = Schemas['CreatedQrCode'];
export type Analytics = Schemas['Analytics'];
export type Scan = Schemas['Scan'];
export type BulkResult = Schemas['BulkResult'];
export type BulkRow = Schemas['BulkRow'];
export type BulkChanges = Schemas['BulkChanges'];
export type NewQrCode = RequestBodies['NewQrCode']['content']['application/json'];
export type NewQrCodes = RequestBodies['NewQrCodes']['content']['application/json'];
export type ChangedQrCodes = RequestBodies['ChangedQrCodes']['content']['application/json'];
export type DeletedQrCodes = RequestBodies['DeletedQrCodes']['content']['application/json'];
export type QrCodeChanges = RequestBodies['QrCodeChanges']['content']['application/json'];
export type ListQuery = NonNullable<operations['listQrCodes']['parameters']['query']>;
export type ScansQuery = NonNullable<operations['listQrCodeScans']['parameters']['query']>;

const maxEdits = 5;

/** The operations on QR codes. `call` sends a request and parses its response. */
export function createCodes(
  call: <Result>(request: ApiRequest) => Promise<{ result: Result; etag: string }>,
) {
  const pathOf = (id: string) => `/qrcodes/${encodeURIComponent(id)}`;
  const get = async <Result>(path: string, options: RequestOptions) =>
    (await call<Result>({ method: 'GET', path, ...options })).result;

  async function readVersion(
    id: string,
    options: RequestOptions = {},
  ): Promise<{ code: QrCode; etag: string }> {
    const { result, etag } = await call<QrCode>({ method: 'GET', path: pathOf(id), ...options });
    return { code: result, etag };
  }

  async function update(id: string, changes: QrCodeChanges, options: VersionOptions = {}): Promise<QrCode> {
    const { ifMatch, ...rest } = options;
    const request = { method: 'PATCH' as const, path: pathOf(id), body: changes, headers: matching(ifMatch) };
    return (await call<QrCode>({ ...request, ...rest })).result;
  }

  const listPage = (query: ListQuery = {}, options: RequestOptions = {}): Promise<Page<ListedQrCode>> =>
    get(`/qrcodes${queryString(query)}`, options);
  const scansPage = (id: string, query: ScansQuery = {}, options: RequestOptions = {}): Promise<Page<Scan>> =>
    get(`${pathOf(id)}/scans${queryString(query)}`, options);

  return {
    async create(code: NewQrCode, options: RequestOptions = {}): Promise<CreatedQrCode> {
      return (await call<CreatedQrCode>({ method: 'POST', path: '/qrcodes', body: code, ...options })).result;
    },

    /** Up to 500 codes in one request. In mode `each`, see `failed` of the result. */
    async createMany(codes: NewQrCodes, options: RequestOptions = {}): Promise<BulkResult> {
      return (await call<BulkResult>({ method: 'POST', path: '/qrcodes/bulk', body: codes, ...options }))
        .result;
    },

    /** Changes up to 500 codes in one request: all of them, or none. */
    async updateMany(changes: ChangedQrCodes, options: RequestOptions = {}): Promise<BulkChanges> {
      return (await call<BulkChanges>({ method: 'PATCH', path: '/qrcodes/bulk', body: changes, ...options }))
        .result;
    },

    /** Moves up to 500 codes to the trash in one request: all of them, or none. */
    async deleteMany(codes: DeletedQrCodes, options: RequestOptions = {}): Promise<void> {
      await call({ method: 'DELETE', path: '/qrcodes/bulk', body: codes, ...options });
    },

    read: (id: string, options: RequestOptions = {}): Promise<QrCode> => get(pathOf(id), options),

    /** With the ETag, for `ifMatch`. */
    readVersion,

    update,

    /**
     * Reads the code and stores the changes that `decide` returns for it. If somebody else changed it in between, it is read
     * again and `decide` is called with the new version.
     */
    async edit(
      id: string,
      decide: (code: QrCode) => QrCodeChanges | Promise<QrCodeChanges>,
      options: Omit<RequestOptions, 'idempotencyKey'> = {},
    ): Promise<QrCode> {
      for (let attempt = 1; ; attempt += 1) {
        const { code, etag } = await readVersion(id, options);
        try {
          return await update(id, await decide(code), { ...options, ifMatch: etag });
        } catch (error) {
          const isStale = error instanceof QrelayError && error.status === 412;
          if (!isStale || attempt >= maxEdits) throw error;
        }
      }
    },

    /** Moves the code to the trash, or deletes it for good with `permanently`. */
    async delete(
      id: string,
      { ifMatch, permanently, ...options }: VersionOptions & { permanently?: boolean } = {},
    ): Promise<void> {
      const path = `${pathOf(id)}${queryString({ permanently })}`;
      await call({ method: 'DELETE', path, headers: matching(ifMatch), ...options });
    },

    /** Takes a deleted code out of the trash. */
    async restore(id: string, { ifMatch, ...options }: VersionOptions = {}): Promise<QrCode> {
      const request = { method: 'POST' as const, path: `${pathOf(id)}/restore`, headers: matching(ifMatch) };
      return (await call<QrCode>({ ...request, ...options })).result;
    },

    /** All codes, or with `state` those in the trash, newest first. `limit` is the size of a page. */
    list: (query: Omit<ListQuery, 'cursor'> = {}, options: RequestOptions = {}) =>
      everyItem((cursor) => listPage({ ...query, ...(cursor !== undefined && { cursor }) }, options)),

    listPage,

    analytics: (
      id: string,
      query: { days?: number } = {},
      options: RequestOptions = {},
    ): Promise<Analytics> => get(`${pathOf(id)}/analytics${queryString(query)}`, options),

    /** All scans of a code, newest first. `limit` is the size of a page. */
    scans: (id: string, query: Omit<ScansQuery, 'cursor'> = {}, options: RequestOptions = {}) =>
      everyItem((cursor) => scansPage(id, { ...query, ...(cursor !== undefined && { cursor }) }, options)),

    scansPage,
  };
}
