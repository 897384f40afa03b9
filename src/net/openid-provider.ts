import type { ClientAuth, Configuration, CustomFetch } from 'openid-client';
import { hourMs } from '../runtime/units.ts';
import { isLoopbackUrl, type OpenIdConfig } from './openid-config.ts';

const discoveryLifetimeMs = hourMs;
/** How long a provider that could not be reached is not asked again. */
const retryAfterMs = 5_000;
/** For each request to the provider, until the end of its response. */
const defaultTimeoutMs = 5_000;
const maxResponseBytes = 256 * 1024;
/** How far the clock of the provider may be off. */
const clockToleranceSeconds = 30;
const maxSubjectLength = 255;

/**
 * Why somebody could not be authenticated: they canceled, the provider does not respond as it should, or its response is
 * not one that can be trusted. `code` is for the log: it contains nothing about the person.
 */
export class OpenIdError extends Error {
  override name = 'OpenIdError';
  readonly reason: 'canceled' | 'unreachable' | 'invalid';
  readonly code: string;

  constructor(reason: OpenIdError['reason'], code: string) {
    super(`OpenID Connect: ${reason} (${code})`);
    this.reason = reason;
    this.code = code;
  }
}

/** What a response of the provider is compared with. The browser brings back only the state. */
export interface OpenIdChecks {
  state: string;
  nonce: string;
  codeVerifier: string;
}

export interface AuthenticatedIdentity {
  issuer: string;
  subject: string;
  /** When they entered their password there, or the like. Undefined where the provider does not tell. */
  authenticatedAt: Date | undefined;
  /** Undefined unless the provider has verified it. May ask the provider. */
  verifiedEmail(): Promise<string | undefined>;
}

export type OpenIdProvider = ReturnType<typeof createOpenIdProvider>;

interface ProviderOptions {
  /** Where the provider sends browsers back to. */
  callbackUrl: string;
  nowMs?: () => number;
  timeoutMs?: number;
}

// Loaded when it is used: most installations have no provider.
const library = () => import('openid-client');

/** Discovery, requests and responses of one OpenID provider: authorization code flow with PKCE, state and nonce. */
export function createOpenIdProvider(
  { issuer, clientId, clientSecret }: OpenIdConfig,
  { callbackUrl, nowMs = Date.now, timeoutMs = defaultTimeoutMs }: ProviderOptions,
) {
  const fetchBounded = createBoundedFetch(timeoutMs);
  let discovered: { configuration: Promise<Configuration>; expiresAtMs: number } | undefined;

  /** One request at a time, whoever waits for it. */
  function findConfiguration(): Promise<Configuration> {
    if (discovered && nowMs() < discovered.expiresAtMs) return discovered.configuration;
    const current = { configuration: discover(), expiresAtMs: nowMs() + discoveryLifetimeMs };
    discovered = current;
    current.configuration.catch(() => {
      current.expiresAtMs = nowMs() + retryAfterMs;
    });
    return current.configuration;
  }

  async function discover(): Promise<Configuration> {
    const { allowInsecureRequests, clockTolerance, customFetch, discovery, enableNonRepudiationChecks } =
      await library();
    const authenticate = await clientAuthentication(clientSecret);
    const metadata = { [clockTolerance]: clockToleranceSeconds };
    const execute = [
      // Signatures are checked, too, although tokens come from the provider itself.
      enableNonRepudiationChecks,
      ...(isLoopbackUrl(new URL(issuer)) ? [allowInsecureRequests] : []),
    ];
    const options = { execute, [customFetch]: fetchBounded, timeout: timeoutMs / 1_000 };
    try {
      return await discovery(new URL(issuer), clientId, metadata, authenticate, options);
    } catch (error) {
      throw new OpenIdError('unreachable', codeOf(error));
    }
  }

  return {
    /** Whether discovery succeeds. Throws an `OpenIdError` otherwise. */
    async check(): Promise<void> {
      await findConfiguration();
    },

    /** Where to send the browser. `isRepeated`: the provider shall authenticate again whoever is signed in there. */
    async authorizationUrl(
      { state, nonce, codeVerifier }: OpenIdChecks,
      { isRepeated = false } = {},
    ): Promise<string> {
      const { buildAuthorizationUrl, calculatePKCECodeChallenge } = await library();
      const parameters = {
        redirect_uri: callbackUrl,
        scope: 'openid email',
        state,
        nonce,
        code_challenge: await calculatePKCECodeChallenge(codeVerifier),
        code_challenge_method: 'S256',
        ...(isRepeated && { max_age: '0' }),
      };
      const configuration = await findConfiguration();
      try {
        return buildAuthorizationUrl(configuration, parameters).href;
      } catch (error) {
        // Such as an address that is not one of HTTP.
        throw new OpenIdError('unreachable', codeOf(error));
      }
    },

    /** Redeems the code of a response, which works once. `query` is that of the address that the browser came back to. */
    async redeem(
      query: string,
      { state, nonce, codeVerifier }: OpenIdChecks,
    ): Promise<AuthenticatedIdentity> {
      const { authorizationCodeGrant, fetchUserInfo } = await library();
      const configuration = await findConfiguration();
      const tokens = await authorizationCodeGrant(configuration, new URL(`${callbackUrl}?${query}`), {
        expectedState: state,
        expectedNonce: nonce,
        pkceCodeVerifier: codeVerifier,
      }).catch(rethrow);
      const claims = tokens.claims();
      if (!claims || !isSubject(claims.sub)) throw new OpenIdError('invalid', 'subject');
      return {
        issuer: claims.iss,
        subject: claims.sub,
        authenticatedAt: claims.auth_time === undefined ? undefined : new Date(claims.auth_time * 1_000),
        async verifiedEmail() {
          const isInToken = claims['email'] !== undefined;
          if (isInToken || !configuration.serverMetadata().userinfo_endpoint) return emailIn(claims);
          return emailIn(await fetchUserInfo(configuration, tokens.access_token, claims.sub).catch(rethrow));
        },
      };
    },
  };
}

/** As OpenID Connect Core has it, and nothing that PostgreSQL cannot store. */
function isSubject(subject: string): boolean {
  return subject.length > 0 && subject.length <= maxSubjectLength && !/\p{Cc}/u.test(subject);
}

/** Only `true` is true: some providers let people enter any address. */
function emailIn(claims: Record<string, unknown>): string | undefined {
  const email = claims['email'];
  return claims['email_verified'] === true && typeof email === 'string' ? email.trim() : undefined;
}

/** In a header, which is the default of OpenID Connect, unless the provider does not accept that. */
async function clientAuthentication(secret: string): Promise<ClientAuth> {
  const { ClientSecretBasic, ClientSecretPost } = await library();
  const inBody = ClientSecretPost(secret);
  const inHeader = ClientSecretBasic(secret);
  return (server, client, body, headers) => {
    const isByHeader = server.token_endpoint_auth_methods_supported?.includes('client_secret_basic') ?? true;
    return (isByHeader ? inHeader : inBody)(server, client, body, headers);
  };
}

/**
 * Bounds the time and the size of responses, and follows no redirects. The issuer is a setting of the operator, so it may
 * have a private address; only a provider on this machine may be called without TLS.
 */
function createBoundedFetch(timeoutMs: number): CustomFetch {
  return async (text, { method, headers, body }) => {
    const url = new URL(text);
    if (url.protocol !== 'https:' && !isLoopbackUrl(url)) throw new OpenIdError('invalid', 'not https');
    const signal = AbortSignal.timeout(timeoutMs);
    const request = { method, headers, body: body as BodyInit | null, redirect: 'manual', signal } as const;
    const { status, received, responseHeaders } = await fetch(url, request)
      .then(async (response) => ({
        status: response.status,
        received: await readBounded(response),
        responseHeaders: response.headers,
      }))
      .catch((error: unknown) => {
        throw error instanceof OpenIdError ? error : new OpenIdError('unreachable', codeOf(error));
      });
    if (status >= 500) throw new OpenIdError('unreachable', `status ${status}`);
    return new Response(received.length === 0 ? null : received, { status, headers: responseHeaders });
  };
}

async function readBounded({ body }: Response): Promise<Buffer<ArrayBuffer>> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of body ?? []) {
    length += chunk.length;
    // Leaving the loop closes the connection.
    if (length > maxResponseBytes) throw new OpenIdError('unreachable', 'response too large');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function rethrow(error: unknown): never {
  const own = causesOf(error).find((cause) => cause instanceof OpenIdError);
  if (own) throw own;
  const isCanceled = isObject(error) && error['error'] === 'access_denied';
  throw new OpenIdError(isCanceled ? 'canceled' : 'invalid', codeOf(error));
}

/** A code of the library, the provider or Node. Messages and causes may contain claims and tokens. */
function codeOf(error: unknown): string {
  for (const cause of causesOf(error)) {
    if (cause instanceof OpenIdError) return cause.code;
    const codes = isObject(cause) ? [cause['error'], cause['code']] : [];
    const code = codes.find((one) => typeof one === 'string' && /^[\w-]{1,60}$/.test(one));
    if (typeof code === 'string') return code;
    if (cause instanceof DOMException) return cause.name;
  }
  return 'unknown';
}

function causesOf(error: unknown): unknown[] {
  const causes: unknown[] = [];
  for (let cause = error; isObject(cause) && causes.length < 5; cause = cause['cause']) causes.push(cause);
  return causes;
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null;
