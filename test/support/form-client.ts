import { startSession } from '../../src/accounts/sessions.ts';
import { findOrCreateUser } from '../../src/accounts/users.ts';
import type { TestService } from './service.ts';

/** A browser without a screen: keeps cookies, and sends forms as the pages have them. */
export interface FormClient {
  get(path: string, headers?: Record<string, string>): Promise<Response>;
  /** Brings the token of the page that was opened last, unless the fields have another. */
  post(path: string, fields: Record<string, string>, headers?: Record<string, string>): Promise<Response>;
  cookies: Map<string, string>;
}

/** Keeps cookies, and follows no redirects. */
export function cookieClient(url: string) {
  const cookies = new Map<string, string>();
  async function send(
    path: string,
    init: RequestInit = {},
    headers: Record<string, string> = {},
  ): Promise<Response> {
    const Cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const answer = await fetch(url + path, {
      ...init,
      redirect: 'manual',
      headers: { Accept: 'text/html', ...(Cookie && { Cookie }), ...headers },
    });
    for (const text of answer.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(text) ?? [];
      if (/Max-Age=0\b/.test(text)) cookies.delete(name);
      else cookies.set(name, value);
    }
    return answer;
  }
  return { cookies, send };
}

export function formClient(url: string): FormClient {
  const { cookies, send } = cookieClient(url);
  let csrfToken = '';

  return {
    cookies,
    async get(path, headers = {}) {
      const answer = await send(path, {}, headers);
      const text = await answer.clone().text();
      csrfToken = /name="csrfToken" value="([^"]+)"/.exec(text)?.[1] ?? csrfToken;
      return answer;
    },
    post: (path, fields, headers = {}) =>
      send(path, { method: 'POST', body: new URLSearchParams({ csrfToken, ...fields }) }, headers),
  };
}

/** With an account of that e-mail: signing up is what other tests show. */
export async function signedIn(service: Pick<TestService, 'url' | 'db'>, email: string): Promise<FormClient> {
  const client = formClient(service.url);
  client.cookies.set('__Host-qrelay-session', await sessionOf(service, email));
  return client;
}

export async function sessionOf({ db }: Pick<TestService, 'db'>, email: string): Promise<string> {
  const user = await findOrCreateUser(db, email, new Date());
  return startSession(db, user.id, new Date());
}
