import type { components } from './schema.ts';
import type { ApiRequest, RequestOptions } from './send.ts';

type Schemas = components['schemas'];
type RequestBodies = components['requestBodies'];

export type Style = Schemas['Style'];
export type StyleApplication = Schemas['StyleApplication'];
export type NewStyle = RequestBodies['NewStyle']['content']['application/json'];
export type StyleChanges = RequestBodies['StyleChanges']['content']['application/json'];
export type NewStyleApplication = RequestBodies['NewStyleApplication']['content']['application/json'];

/** The operations on styles. `call` sends a request and parses its response. */
export function createStyles(call: <Result>(request: ApiRequest) => Promise<{ result: Result }>) {
  const pathOf = (id: string) => `/styles/${encodeURIComponent(id)}`;
  const get = async <Result>(path: string, options: RequestOptions) =>
    (await call<Result>({ method: 'GET', path, ...options })).result;

  return {
    create: async (style: NewStyle, options: RequestOptions = {}): Promise<Style> =>
      (await call<Style>({ method: 'POST', path: '/styles', body: style, ...options })).result,

    /** All of them: there are few. */
    list: async (options: RequestOptions = {}): Promise<Style[]> =>
      (await get<{ data: Style[] }>('/styles', options)).data,

    read: (id: string, options: RequestOptions = {}): Promise<Style> => get(pathOf(id), options),

    update: async (id: string, changes: StyleChanges, options: RequestOptions = {}): Promise<Style> =>
      (await call<Style>({ method: 'PATCH', path: pathOf(id), body: changes, ...options })).result,

    async delete(id: string, options: RequestOptions = {}): Promise<void> {
      await call({ method: 'DELETE', path: pathOf(id), ...options });
    },

    /** Codes that have got the style do not change. */
    setLogo: async (id: string, logo: Blob, options: RequestOptions = {}): Promise<Style> =>
      (await call<Style>({ method: 'PUT', path: `${pathOf(id)}/logo`, file: logo, ...options })).result,

    async deleteLogo(id: string, options: RequestOptions = {}): Promise<void> {
      await call({ method: 'DELETE', path: `${pathOf(id)}/logo`, ...options });
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
