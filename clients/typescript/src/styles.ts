import { allItems, type Page, queryString } from './paging.ts';
import type { components, operations } from './schema.ts';
import type { ApiRequest, RequestOptions } from './send.ts';
import { matching, type VersionOptions } from './versions.ts';

type Schemas = components['schemas'];
type RequestBodies = components['requestBodies'];

type Logo = Schemas['Logo'];
export type Style = Schemas['Style'];
export type StyleApplication = Schemas['StyleApplication'];
export type NewStyle = RequestBodies['NewStyle']['content']['application/json'];
export type StyleChanges = RequestBodies['StyleChanges']['content']['application/json'];
export type NewStyleApplication = RequestBodies['NewStyleApplication']['content']['application/json'];

export type StylesQuery = NonNullable<operations['listStyles']['parameters']['query']>;

/** The operations on styles. `call` sends a request and parses its response. */
export function createStyles(
  call: <Result>(request: ApiRequest) => Promise<{ result: Result; etag: string }>,
) {
  const pathOf = (id: string) => `/styles/${encodeURIComponent(id)}`;
  const get = async <Result>(path: string, options: RequestOptions) =>
    (await call<Result>({ method: 'GET', path, ...options })).result;

  const listPage = (query: StylesQuery = {}, options: RequestOptions = {}): Promise<Page<Style>> =>
    get(`/styles${queryString(query)}`, options);

  return {
    create: async (style: NewStyle, options: RequestOptions = {}): Promise<Style> =>
      (await call<Style>({ method: 'POST', path: '/styles', body: style, ...options })).result,

    /** All of them: there are few. */
    list: (options: RequestOptions = {}): Promise<Style[]> =>
      allItems((cursor) => listPage(cursor === undefined ? {} : { cursor }, options)),

    listPage,

    read: (id: string, options: RequestOptions = {}): Promise<Style> => get(pathOf(id), options),

    /** With the ETag, for `ifMatch`. */
    async readVersion(id: string, options: RequestOptions = {}): Promise<{ style: Style; etag: string }> {
      const { result, etag } = await call<Style>({ method: 'GET', path: pathOf(id), ...options });
      return { style: result, etag };
    },

    async update(id: string, changes: StyleChanges, options: VersionOptions = {}): Promise<Style> {
      const { ifMatch, ...rest } = options;
      const request = {
        method: 'PATCH' as const,
        path: pathOf(id),
        body: changes,
        headers: matching(ifMatch),
      };
      return (await call<Style>({ ...request, ...rest })).result;
    },

    async delete(id: string, { ifMatch, ...options }: VersionOptions = {}): Promise<void> {
      await call({ method: 'DELETE', path: pathOf(id), headers: matching(ifMatch), ...options });
    },

    /** Codes that have got the style do not change. */
    async setLogo(id: string, logo: Blob, { ifMatch, ...options }: VersionOptions = {}): Promise<Style> {
      const request = { method: 'PUT' as const, path: `${pathOf(id)}/logo`, file: logo };
      return (await call<Style>({ ...request, headers: matching(ifMatch), ...options })).result;
    },

    readLogo: (id: string, options: RequestOptions = {}): Promise<Logo> => get(`${pathOf(id)}/logo`, options),

    async deleteLogo(id: string, { ifMatch, ...options }: VersionOptions = {}): Promise<void> {
      await call({ method: 'DELETE', path: `${pathOf(id)}/logo`, headers: matching(ifMatch), ...options });
    },

    /** Up to 500 codes. It takes a while: `readApplication` says how far it is. */
    apply: async (
      id: string,
      codes: NewStyleApplication,
      options: RequestOptions = {},
    ): Promise<StyleApplication> =>
      (await call<StyleApplication>({ method: 'POST', path: `${pathOf(id)}/apply`, body: codes, ...options }))
        .result,

    readApplication: (id: string, options: RequestOptions = {}): Promise<StyleApplication> =>
      get(`/style-applications/${encodeURIComponent(id)}`, options),
  };
}
