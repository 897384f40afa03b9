import type { components } from './schema.ts';
import type { ApiRequest, RequestOptions } from './send.ts';

type RequestBodies = components['requestBodies'];

export type QrCodeLabels = RequestBodies['QrCodeLabels']['content']['application/json'];
export type QrCodeFiles = RequestBodies['QrCodeFiles']['content']['application/json'];

/** The operations that return a file. */
export function createPrints(download: (request: ApiRequest) => Promise<Uint8Array>) {
  return {
    /** A PDF with a label for each of up to 1,000 codes. */
    labels: (labels: QrCodeLabels, options: RequestOptions = {}): Promise<Uint8Array> =>
      download({ method: 'POST', path: '/qrcodes/labels', body: labels, ...options }),

    /** A ZIP archive with a picture of each of up to 1,000 codes. */
    files: (files: QrCodeFiles, options: RequestOptions = {}): Promise<Uint8Array> =>
      download({ method: 'POST', path: '/qrcodes/files', body: files, ...options }),
  };
}
