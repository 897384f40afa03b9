import type { components } from './schema.ts';
import type { ApiRequest, RequestOptions } from './send.ts';

type RequestBodies = components['requestBodies'];

export type Design = components['schemas']['Design'];
export type QrCodeLabels = RequestBodies['QrCodeLabels']['content']['application/json'];
export type QrCodeFiles = RequestBodies['QrCodeFiles']['content']['application/json'];

/** The operations that send or return a file. */
export function createPrints(
  call: <Result>(request: ApiRequest) => Promise<{ result: Result }>,
  download: (request: ApiRequest) => Promise<Uint8Array>,
) {
  return {
    /** A PDF with a label for each of up to 1,000 codes. */
    labels: (labels: QrCodeLabels, options: RequestOptions = {}): Promise<Uint8Array> =>
      download({ method: 'POST', path: '/qrcodes/labels', body: labels, ...options }),

    /** A ZIP archive with a picture of each of up to 1,000 codes. */
    files: (files: QrCodeFiles, options: RequestOptions = {}): Promise<Uint8Array> =>
      download({ method: 'POST', path: '/qrcodes/files', body: files, ...options }),

    /** Puts a picture of up to 1 MB in the middle of a code. `proof` of the result says at which size phones read it. */
    async setLogo(
      id: string,
      logo: Blob,
      options: Omit<RequestOptions, 'idempotencyKey'> = {},
    ): Promise<Design> {
      const path = `/qrcodes/${encodeURIComponent(id)}/design/logo`;
      return (await call<Design>({ method: 'PUT', path, file: logo, ...options })).result;
    },
  };
}
