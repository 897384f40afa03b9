import type { ApiClient } from './api-client.ts';

export const iPhoneSafari =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 Mobile/15E148 Safari/604.1';

export interface SharedCode {
  id: string;
  shareToken: string;
  shareUrl: string;
  content: string;
}

export async function createCode(api: ApiClient, fields: object = {}): Promise<SharedCode> {
  const { body } = await api('/qrcodes', {
    method: 'POST',
    body: { name: 'Test', content: 'https://example.com/target', ...fields },
  });
  return body as SharedCode;
}

/** Opens a share address as a scanner would, without following the redirect. */
export function openShare(
  serviceUrl: string,
  token: string,
  { method = 'GET', headers = {} }: { method?: string; headers?: Record<string, string> } = {},
): Promise<Response> {
  return fetch(`${serviceUrl}/r/${token}`, {
    method,
    redirect: 'manual',
    headers: { 'User-Agent': iPhoneSafari, ...headers },
  });
}
