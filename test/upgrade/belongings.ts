import { isDeepStrictEqual } from 'node:util';
import { pdf } from '../codes/files/pdf-file.ts';
import type { RequestLog } from './request-log.ts';

type Shown = Record<string, unknown>;

/** What two accounts have before the upgrade: a code, and of a style, a webhook endpoint, a design and a file what the release knows. */
export interface Belongings {
  /** Addresses in the API. */
  paths: string[];
  /** Reads everything with the keys of that time. Whatever differs, or is shown to the other account, is a fault. */
  check(): Promise<void>;
}

interface Account {
  key: string;
  /** As the release before showed them, by address. */
  shown: Map<string, Shown>;
  /** Where scanners get the file. */
  filePath?: string;
}

const file = pdf();

/** Creates them through the API of the release that runs. */
export async function createBelongings(
  url: string,
  makeKey: (email: string) => Promise<string>,
  log: RequestLog,
): Promise<Belongings> {
  const accounts = await Promise.all(
    ['anna@example.com', 'ben@example.com'].map(async (email) => createAccount(url, await makeKey(email))),
  );
  const read = (path: string, key: string, expected: number) =>
    log.send(`GET ${path}`, () => send(url, key, 'GET', path), expected);

  return {
    paths: accounts.flatMap(({ shown }) => [...shown.keys()]),
    async check() {
      for (const [index, { key, shown, filePath }] of accounts.entries()) {
        for (const [path, former] of shown) {
          const now = (await (await read(path, key, 200))?.json()) as Shown | undefined;
          // A later release may show more.
          const changed = Object.keys(former).filter(
            (field) => !isDeepStrictEqual(now?.[field], former[field]),
          );
          for (const field of changed)
            log.fault(
              `${path}: ${field} is ${JSON.stringify(now?.[field])}, was ${JSON.stringify(former[field])}`,
            );
          await read(path, accounts[1 - index]?.key ?? '', 404);
        }
        if (filePath === undefined) continue;
        const served = await log.send(`GET ${filePath}`, () => fetch(`${url}${filePath}`), 200);
        if (served && !file.equals(Buffer.from(await served.arrayBuffer())))
          log.fault(`${filePath} is not the file that was uploaded`);
      }
    },
  };
}

async function createAccount(url: string, key: string): Promise<Account> {
  const shown = new Map<string, Shown>();
  const read = async (path: string) => (await (await send(url, key, 'GET', path)).json()) as Shown;

  /** Undefined: the release does not have this. */
  async function create(method: string, path: string, body: object): Promise<Shown | undefined> {
    const answer = await send(url, key, method, path, body);
    if (answer.status === 404) return undefined;
    if (!answer.ok) throw new Error(`${method} ${path} answers ${answer.status}: ${await answer.text()}`);
    return (await answer.json()) as Shown;
  }
  async function createCode(name: string): Promise<string> {
    const code = await create('POST', '/qrcodes', { name, content: 'https://example.com/menu' });
    return `/qrcodes/${String(code?.['id'])}`;
  }

  const codes = [await createCode('Menu'), await createCode('Prices')] as const;
  const style = await create('POST', '/styles', { name: 'House', moduleShape: 'rounded' });
  if (style) shown.set(`/styles/${String(style['id'])}`, {});
  const webhook = await create('POST', '/webhooks', {
    url: 'https://example.com/hooks/qrelay',
    name: 'CRM',
    events: ['code.expiring'],
  });
  if (webhook) shown.set(`/webhooks/${String(webhook['id'])}`, {});
  const designPath = `${codes[0]}/design`;
  if (await create('PUT', designPath, { moduleShape: 'rounded' })) shown.set(designPath, {});
  const uploaded = await create('PUT', `${codes[1]}/file?name=Menu.pdf`, file);
  if (uploaded) shown.set(`${codes[1]}/file`, {});
  for (const path of [...codes, ...shown.keys()]) shown.set(path, await read(path));
  return {
    key,
    shown,
    ...(uploaded && { filePath: new URL(String(uploaded['url'])).pathname }),
  };
}

function send(url: string, key: string, method: string, path: string, body?: object): Promise<Response> {
  const isFile = Buffer.isBuffer(body);
  return fetch(`${url}/api/v1${path}`, {
    method,
    headers: {
      Authorization: `Bearer ${key}`,
      ...(body && { 'Content-Type': isFile ? 'application/pdf' : 'application/json' }),
    },
    ...(body && { body: isFile ? new Uint8Array(body) : JSON.stringify(body) }),
  });
}
