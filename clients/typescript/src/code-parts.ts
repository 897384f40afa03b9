import { queryString } from './paging.ts';
import type { components } from './schema.ts';
import type { ApiRequest, RequestOptions } from './send.ts';
import { matching, type VersionOptions } from './versions.ts';

type Schemas = components['schemas'];
type RequestBodies = components['requestBodies'];

export type Design = Schemas['Design'];
export type Logo = Schemas['Logo'];
export type QrCodeEnding = Schemas['QrCodeEnding'];
export type QrCodeFile = Schemas['QrCodeFile'];
export type QrCodePage = Schemas['QrCodePage'];
export type QrCodePageLogo = Schemas['QrCodePageLogo'];
export type QrCodePhoto = Schemas['QrCodePhoto'];
export type NewDesign = RequestBodies['NewDesign']['content']['application/json'];
export type QrCodeEndingChanges = RequestBodies['QrCodeEndingChanges']['content']['application/json'];
export type QrCodePageChanges = RequestBodies['QrCodePageChanges']['content']['application/json'];

/** The operations on sub-resources of a code, such as its design. `call` sends a request and parses its response. */
export function createCodeParts(call: <Result>(request: ApiRequest) => Promise<{ result: Result }>) {
  const pathOf = (id: string, part: string) => `/qrcodes/${encodeURIComponent(id)}/${part}`;

  const reads =
    <Result>(part: string) =>
    async (id: string, options: RequestOptions = {}): Promise<Result> =>
      (await call<Result>({ method: 'GET', path: pathOf(id, part), ...options })).result;

  const changes =
    <Body, Result>(method: 'PUT' | 'PATCH', part: string) =>
    async (id: string, body: Body, { ifMatch, ...options }: VersionOptions = {}): Promise<Result> => {
      const request = { method, path: pathOf(id, part), body, headers: matching(ifMatch) };
      return (await call<Result>({ ...request, ...options })).result;
    };

  async function upload<Result>(path: string, file: Blob, options: VersionOptions): Promise<Result> {
    const { ifMatch, ...rest } = options;
    return (await call<Result>({ method: 'PUT', path, file, headers: matching(ifMatch), ...rest })).result;
  }

  const deletes =
    (part: string) =>
    async (id: string, { ifMatch, ...options }: VersionOptions = {}): Promise<void> => {
      await call({ method: 'DELETE', path: pathOf(id, part), headers: matching(ifMatch), ...options });
    };

  return {
    readDesign: reads<Design>('design'),

    /** Replaces all of it except its logo. `proof` of the result says at which size phones read it. */
    setDesign: changes<NewDesign, Design>('PUT', 'design'),

    /** Also deletes its logo. */
    deleteDesign: deletes('design'),

    /** Puts a picture of up to 1 MB in the middle of a code. `proof` of the result says at which size phones read it. */
    setLogo: (id: string, logo: Blob, options: VersionOptions = {}): Promise<Design> =>
      upload(pathOf(id, 'design/logo'), logo, options),

    readLogo: reads<Logo>('design/logo'),
    deleteLogo: deletes('design/logo'),

    /** When it ends, whether scans renew it, and where its share URL leads afterwards. */
    readEnding: reads<QrCodeEnding>('ending'),
    updateEnding: changes<QrCodeEndingChanges, QrCodeEnding>('PATCH', 'ending'),

    /** Title, text and color of the share page, which people see when they scan. */
    readPage: reads<QrCodePage>('page'),
    updatePage: changes<QrCodePageChanges, QrCodePage>('PATCH', 'page'),

    readPageLogo: reads<QrCodePageLogo>('page/logo'),

    /** `alt` says what the logo shows, for people who cannot see it. */
    setPageLogo: (
      id: string,
      logo: Blob,
      { alt, ...options }: VersionOptions & { alt: string },
    ): Promise<QrCodePageLogo> => upload(`${pathOf(id, 'page/logo')}${queryString({ alt })}`, logo, options),

    deletePageLogo: deletes('page/logo'),

    readFile: reads<QrCodeFile>('file'),

    /** A PDF or an image that scans open. A `File` brings its name. */
    setFile: (
      id: string,
      file: Blob & { readonly name?: string },
      { name = file.name, ...options }: VersionOptions & { name?: string | undefined } = {},
    ): Promise<QrCodeFile> =>
      upload(`${pathOf(id, 'file')}${queryString(name === undefined ? {} : { name })}`, file, options),

    deleteFile: deletes('file'),

    /** The photo of a contact. */
    readPhoto: reads<QrCodePhoto>('photo'),
    setPhoto: (id: string, photo: Blob, options: VersionOptions = {}): Promise<QrCodePhoto> =>
      upload(pathOf(id, 'photo'), photo, options),
    deletePhoto: deletes('photo'),
  };
}
