import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { type Encryption, readEncryption } from './encryption.ts';

const timeoutMs = 5_000;
const maxBodyBytes = 64 * 1024;

export interface Answer {
  status: number;
  /** Every value of a header, as it was received. */
  header(name: string): string[];
  body: string;
  encryption: Encryption;
}

interface GetOptions {
  headers?: Record<string, string>;
  /** The certificate of the only authority to trust. */
  ca?: string | undefined;
}

/** A GET that follows no redirect and stops reading after some kilobytes. */
export function get(url: string, { headers = {}, ca }: GetOptions = {}): Promise<Answer> {
  const request = url.startsWith('https:') ? httpsRequest : httpRequest;
  return new Promise((resolve, reject) => {
    const signal = AbortSignal.timeout(timeoutMs);
    const sent = request(
      url,
      { headers, agent: false, signal, ...(ca !== undefined && { ca }) },
      (response) => {
        const encryption = readEncryption(response.socket);
        let body = '';
        response.setEncoding('utf8').on('data', (text: string) => {
          body += text;
          if (body.length > maxBodyBytes) response.destroy();
        });
        response.on('close', () =>
          resolve({
            status: response.statusCode ?? 0,
            header: (name) => valuesOf(response.rawHeaders, name.toLowerCase()),
            body,
            encryption,
          }),
        );
        response.on('error', () => undefined); // followed by `close`
      },
    );
    sent.on('error', reject);
    sent.end();
  });
}

function valuesOf(rawHeaders: string[], name: string): string[] {
  return rawHeaders.filter((_, index) => index % 2 === 1 && rawHeaders[index - 1]?.toLowerCase() === name);
}
