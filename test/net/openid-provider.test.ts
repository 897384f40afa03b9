import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { expect } from 'chai';
import { createOpenIdProvider, OpenIdError } from '../../src/net/openid-provider.ts';

const checks = { state: 's'.repeat(43), nonce: 'n'.repeat(43), codeVerifier: 'v'.repeat(43) };
const callbackUrl = 'https://qr.test/signin/oidc/callback';
const query = `code=c&state=${checks.state}`;

describe('An OpenID provider that does not respond as it should', () => {
  let server: Server;
  let issuer: string;
  let respond: RequestListener;
  let requests: string[];
  let nowMs = 0;
  before(async () => {
    server = createServer((req, res) => {
      requests.push(req.url ?? '');
      respond(req, res);
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  beforeEach(() => {
    requests = [];
  });
  after(async () => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  });

  const open = (address = issuer) =>
    createOpenIdProvider(
      { issuer: address, clientId: 'qrelay', clientSecret: 'secret', name: 'ID', domains: [], isOnly: false },
      { callbackUrl, nowMs: () => nowMs, timeoutMs: 500 },
    );

  async function failureOf(work: Promise<unknown>): Promise<string> {
    const error = await work.then(
      () => undefined,
      (reason: unknown) => reason,
    );
    expect(error).to.be.instanceOf(OpenIdError);
    const { reason, code } = error as OpenIdError;
    return `${reason}: ${code}`;
  }

  const metadata = (changes: object = {}) => ({
    issuer,
    authorization_endpoint: `${issuer}/auth`,
    token_endpoint: `${issuer}/token`,
    jwks_uri: `${issuer}/jwks`,
    response_types_supported: ['code'],
    ...changes,
  });

  function sendJson(body: unknown, status = 200): RequestListener {
    return (_req, res) =>
      res.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
  }

  it('is not reached when it is down', async () => {
    const port = await (async () => {
      const other = createServer().listen(0, '127.0.0.1');
      await once(other, 'listening');
      const { port: free } = other.address() as AddressInfo;
      other.close();
      await once(other, 'close');
      return free;
    })();
    expect(await failureOf(open(`http://127.0.0.1:${port}`).check())).to.equal('unreachable: ECONNREFUSED');
  });

  it('is given up when it is slow, before or within its response', async () => {
    respond = () => undefined;
    expect(await failureOf(open().check())).to.match(/^unreachable: (TimeoutError|OAUTH_TIMEOUT|23)$/);
    respond = (_req, res) => void res.writeHead(200, { 'Content-Type': 'application/json' }).write('{');
    expect(await failureOf(open().check())).to.match(/^unreachable: (TimeoutError|OAUTH_TIMEOUT|23)$/);
  });

  it('is not believed when it sends garbage, an error, another issuer or a redirect', async () => {
    for (const [response, expected] of [
      [(_req, res) => res.end('garbage'), 'OAUTH_RESPONSE_IS_NOT_JSON'],
      [
        (_req, res) => res.writeHead(200, { 'Content-Type': 'application/json' }).end('{"issuer'),
        'OAUTH_PARSE_ERROR',
      ],
      [sendJson([1]), 'OAUTH_INVALID_RESPONSE'],
      [sendJson({}, 404), 'OAUTH_RESPONSE_IS_NOT_CONFORM'],
      [sendJson({}, 500), 'status 500'],
      [sendJson(metadata({ issuer: 'https://evil.test' })), 'OAUTH_JSON_ATTRIBUTE_COMPARISON_FAILED'],
      [
        (_req, res) => res.writeHead(302, { Location: `${issuer}/elsewhere` }).end(),
        'OAUTH_RESPONSE_IS_NOT_CONFORM',
      ],
    ] as [RequestListener, string][]) {
      respond = response;
      expect(await failureOf(open().check())).to.equal(`unreachable: ${expected}`);
    }
    expect(requests).to.not.include('/elsewhere');
  });

  it('is cut off when its response is too large, also when that is compressed', async () => {
    respond = (_req, res) => {
      res.writeHead(200, { 'Content-Type': 'application/json' });
      res.end(`{"issuer":"${'x'.repeat(10_000_000)}"}`);
    };
    expect(await failureOf(open().check())).to.equal('unreachable: response too large');
    const compressed = gzipSync(`{"issuer":"${'x'.repeat(10_000_000)}"}`);
    expect(compressed.length).to.be.below(20_000);
    respond = (_req, res) =>
      res.writeHead(200, { 'Content-Type': 'application/json', 'Content-Encoding': 'gzip' }).end(compressed);
    expect(await failureOf(open().check())).to.equal('unreachable: response too large');
  });

  it('is asked again after a while, and then once an hour', async () => {
    const provider = open();
    respond = sendJson({}, 503);
    await failureOf(provider.check());
    respond = sendJson(metadata());
    await failureOf(provider.check());
    expect(requests).to.have.length(1);
    nowMs += 5_000;
    await Promise.all([provider.check(), provider.check()]);
    nowMs += 59 * 60_000;
    await provider.check();
    expect(requests).to.have.length(2);
    nowMs += 60_000;
    await provider.check();
    expect(requests).to.have.length(3);
  });

  it('cannot lead to an address without TLS, nor to a script', async () => {
    respond = sendJson(metadata({ token_endpoint: 'http://192.0.2.1/token' }));
    expect(await failureOf(open().redeem(query, checks))).to.equal('invalid: not https');
    respond = sendJson(metadata({ authorization_endpoint: 'javascript:alert(1)' }));
    expect(await failureOf(open().authorizationUrl(checks))).to.match(/^unreachable: OAUTH_\w+$/);
  });

  it('fails at the exchange of the code without a token in the error', async () => {
    const token: { respond: RequestListener } = { respond: sendJson({ error: 'invalid_client' }, 401) };
    respond = (req, res) => (req.url === '/token' ? token.respond : sendJson(metadata()))(req, res);
    const provider = open();
    expect(await failureOf(provider.redeem(query, checks))).to.equal('invalid: invalid_client');
    token.respond = sendJson({ error: 'x y <script>' }, 400);
    expect(await failureOf(provider.redeem(query, checks))).to.match(/^invalid: OAUTH_\w+$/);
    token.respond = sendJson({}, 502);
    expect(await failureOf(provider.redeem(query, checks))).to.equal('unreachable: status 502');
    token.respond = sendJson({ access_token: 'a', token_type: 'Bearer', id_token: 'a.b.c' });
    expect(await failureOf(provider.redeem(query, checks))).to.match(/^invalid: OAUTH_\w+$/);
    token.respond = sendJson({ access_token: 'a', token_type: 'Bearer' });
    expect(await failureOf(provider.redeem(query, checks))).to.match(/^invalid: OAUTH_\w+$/);
  });
});
