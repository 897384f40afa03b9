import { createPrivateKey, generateKeyPairSync, type JsonWebKey, sign } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import Provider, { type JWK } from 'oidc-provider';
import type { OpenIdConfig } from '../../src/net/openid-config.ts';
import { cookieClient } from './form-client.ts';

interface PersonClaims {
  email?: unknown;
  email_verified?: unknown;
}

export interface TestProvider {
  config: OpenIdConfig;
  /** What it says about whoever signs in with this name. */
  people: Map<string, PersonClaims>;
  /** Changes the next ID token, which is signed again with the right key. */
  changeIdToken: ((claims: Record<string, unknown>) => Record<string, unknown>) | undefined;
  /** Signs changed ID tokens with another key. */
  isForging: boolean;
  /** Requests so far, as "GET /jwks". */
  requests: string[];
  /** Replaces the keys at once. */
  rotateKeys(): void;
  /** Opens the address as a browser of its own, signs in, and gives the address to go back to. */
  signIn(authorizationUrl: string, login: string): Promise<URL>;
  /** Presses the button to cancel. */
  cancel(authorizationUrl: string): Promise<URL>;
  stop(): Promise<void>;
}

const clientSecret = 'a secret of the client';

/** A real OpenID provider on this machine, with its own forms for development. */
export async function startOpenIdProvider(callbackUrls: string[]): Promise<TestProvider> {
  const people = new Map<string, PersonClaims>();
  const server = createServer().listen(0, '127.0.0.1');
  const inner = createServer().listen(0, '127.0.0.1');
  await Promise.all([once(server, 'listening'), once(inner, 'listening')]);
  const portOf = (address: unknown) => (address as AddressInfo).port;
  const issuer = `http://127.0.0.1:${portOf(server.address())}`;
  let key = newKey();
  let handle = createProvider();

  function createProvider() {
    const provider = new Provider(issuer, {
      clients: [{ client_id: 'qrelay', client_secret: clientSecret, redirect_uris: callbackUrls }],
      jwks: { keys: [key] },
      claims: { openid: ['sub'], email: ['email', 'email_verified'] },
      cookies: { keys: ['a key of the test'] },
      pkce: { required: () => true },
      findAccount: (_ctx, sub) => ({
        accountId: sub,
        claims: () => ({ sub, ...people.get(sub) }),
      }),
      // Nobody is asked whether they consent.
      loadExistingGrant: async ({ oidc }) => {
        const grant = new oidc.provider.Grant({
          clientId: oidc.client?.clientId ?? '',
          accountId: oidc.session?.accountId ?? '',
        });
        grant.addOIDCScope('openid email');
        await grant.save();
        return grant;
      },
      ttl: { Session: 600, Interaction: 600, Grant: 600, AccessToken: 600, IdToken: 600 },
    });
    return provider.callback();
  }
  inner.on('request', (req, res) => void handle(req, res));

  const running: TestProvider = {
    config: {
      issuer,
      clientId: 'qrelay',
      clientSecret,
      name: 'Example ID',
      domains: [],
      isOnly: false,
    },
    people,
    changeIdToken: undefined,
    isForging: false,
    requests: [],
    rotateKeys() {
      key = newKey();
      handle = createProvider();
    },
    async signIn(authorizationUrl, login) {
      const { browser, form } = await openForm(authorizationUrl);
      const fields = new URLSearchParams({ prompt: 'login', login, password: 'any' });
      return follow(browser, await browser.send(form, { method: 'POST', body: fields }));
    },
    async cancel(authorizationUrl) {
      const { browser, page } = await openForm(authorizationUrl);
      const abort = /href="([^"]*\/abort)"/.exec(page)?.[1] ?? '';
      return follow(browser, await browser.send(new URL(abort, issuer).pathname));
    },
    async stop() {
      for (const each of [server, inner]) {
        each.closeAllConnections();
        each.close();
        await once(each, 'close');
      }
    },
  };

  type Browser = ReturnType<typeof cookieClient>;

  async function openForm(authorizationUrl: string) {
    const browser = cookieClient(issuer);
    const { pathname, search } = new URL(authorizationUrl);
    const answer = await browser.send(pathname + search);
    const form = new URL(answer.headers.get('Location') ?? '', issuer).pathname;
    return { browser, form, page: await (await browser.send(form)).text() };
  }

  async function follow(browser: Browser, answer: Response): Promise<URL> {
    for (let steps = 0; steps < 5; steps += 1) {
      const location = new URL(answer.headers.get('Location') ?? '', issuer);
      if (location.origin !== issuer) return location;
      answer = await browser.send(location.pathname + location.search);
    }
    throw new Error('The provider does not lead back');
  }

  /** Forwards to the provider, and changes ID tokens on the way back. */
  server.on('request', (req: IncomingMessage, res: ServerResponse) => {
    const path = req.url ?? '';
    running.requests.push(`${req.method} ${path.split('?')[0]}`);
    const options = { port: portOf(inner.address()), method: req.method, path, headers: req.headers };
    const forwarded = request({ host: '127.0.0.1', ...options }, (answer) => {
      const { changeIdToken } = running;
      if (!changeIdToken || path !== '/token' || answer.statusCode !== 200) {
        res.writeHead(answer.statusCode ?? 500, answer.headers);
        answer.pipe(res);
        return;
      }
      running.changeIdToken = undefined;
      text(answer).then(
        (body) => {
          const tokens = JSON.parse(body) as { id_token: string };
          const { 'content-length': _length, ...headers } = answer.headers;
          res.writeHead(200, headers);
          res.end(JSON.stringify({ ...tokens, id_token: signAgain(tokens.id_token, changeIdToken) }));
        },
        () => res.destroy(),
      );
    });
    forwarded.on('error', () => res.destroy());
    req.pipe(forwarded);
  });

  function signAgain(token: string, change: (claims: Record<string, unknown>) => Record<string, unknown>) {
    const [head = '', payload = ''] = token.split('.');
    const claims = JSON.parse(Buffer.from(payload, 'base64url').toString()) as Record<string, unknown>;
    const signed = `${head}.${Buffer.from(JSON.stringify(change(claims))).toString('base64url')}`;
    const privateKey = createPrivateKey({
      key: (running.isForging ? newKey() : key) as JsonWebKey,
      format: 'jwk',
    });
    return `${signed}.${sign('RSA-SHA256', Buffer.from(signed), privateKey).toString('base64url')}`;
  }
  return running;
}

let keys = 0;

function newKey(): JWK {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 });
  return {
    ...privateKey.export({ format: 'jwk' }),
    kid: `key-${(keys += 1)}`,
    use: 'sig',
    alg: 'RS256',
  };
}

/** The address that the page of our service leads to. */
export function authorizationUrlOf(answer: Response): string {
  return /^0; url=(.*)$/.exec(answer.headers.get('Refresh') ?? '')?.[1] ?? '';
}
