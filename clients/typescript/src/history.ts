import { everyItem, type Page, queryString } from './paging.ts';
import type { components, operations } from './schema.ts';
import type { ApiRequest, RequestOptions } from './send.ts';
import { matching, type VersionOptions } from './versions.ts';

type Schemas = components['schemas'];
type Query<Id extends keyof operations> = NonNullable<operations[Id]['parameters']['query']>;

export type QrCodeVersion = Schemas['QrCodeVersion'];
export type QrCodeRestoration =
  components['requestBodies']['QrCodeRestoration']['content']['application/json'];
export type VersionsQuery = Query<'listQrCodeVersions'>;
export type Change = Schemas['Change'];
export type ChangesQuery = Query<'listChanges'>;
export type ChangesCsvQuery = Query<'exportChanges'>;

type Call = <Result>(request: ApiRequest) => Promise<{ result: Result; etag: string }>;
type Download = (request: ApiRequest) => Promise<Uint8Array>;

/** The operations on the versions of a QR code. */
export function createVersions(call: Call) {
  const pathOf = (id: string) => `/qrcodes/${encodeURIComponent(id)}/versions`;
  const versionsPage = async (
    id: string,
    query: VersionsQuery = {},
    options: RequestOptions = {},
  ): Promise<Page<QrCodeVersion, number>> => {
    const path = `${pathOf(id)}${queryString(query)}`;
    return (await call<Page<QrCodeVersion, number>>({ method: 'GET', path, ...options })).result;
  };
  return {
    /** All versions of a code, newest first. `limit` is the size of a page. */
    versions: (id: string, query: Omit<VersionsQuery, 'cursor'> = {}, options: RequestOptions = {}) =>
      everyItem((cursor: number | undefined) =>
        versionsPage(id, { ...query, ...(cursor !== undefined && { cursor }) }, options),
      ),

    versionsPage,

    /**
     * Makes the code what it was after a version. If fields were changed again since, the error has the status 409 and the reason
     * `restore_conflict`: name `fields`, or `overwrite` them.
     */
    async restoreVersion(
      id: string,
      version: number,
      what: QrCodeRestoration = {},
      { ifMatch, ...options }: VersionOptions = {},
    ): Promise<Schemas['QrCode']> {
      const path = `${pathOf(id)}/${version}/restore`;
      const request = { method: 'POST' as const, path, body: what, headers: matching(ifMatch) };
      return (await call<Schemas['QrCode']>({ ...request, ...options })).result;
    },
  };
}

/** The changes in the workspace of the key, which needs the scope `audit`. */
export function createAudit(call: Call, download: Download) {
  const listPage = async (query: ChangesQuery = {}, options: RequestOptions = {}): Promise<Page<Change>> =>
    (await call<Page<Change>>({ method: 'GET', path: `/audit${queryString(query)}`, ...options })).result;
  return {
    /** All changes, newest first. `limit` is the size of a page. */
    list: (query: Omit<ChangesQuery, 'cursor'> = {}, options: RequestOptions = {}) =>
      everyItem((cursor) => listPage({ ...query, ...(cursor !== undefined && { cursor }) }, options)),

    listPage,

    /** Up to 50,000 changes as CSV. */
    async csv(query: ChangesCsvQuery = {}, options: RequestOptions = {}): Promise<string> {
      const path = `/audit.csv${queryString(query)}`;
      return new TextDecoder().decode(await download({ method: 'GET', path, ...options }));
    },
  };
}
