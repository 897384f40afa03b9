import { parseUrl } from '../http/parse-url.ts';

/** The OpenID provider that people may sign in with. */
export interface OpenIdConfig {
  issuer: string;
  clientId: string;
  clientSecret: string;
  /** What the button says: "Sign in with …". */
  name: string;
  /** Domains of verified email addresses that may sign in, in lower case. Empty: all. */
  domains: readonly string[];
  /** No passwords, passkeys, sign-ups or links by mail. */
  isOnly: boolean;
  /** The workspace that people join when they first sign in, by its slug. */
  workspace?: { slug: string; role: AutomaticRole } | undefined;
}

/** Not owner: a sign-in must not hand out keys and the deletion of a workspace. */
export const automaticRoles = ['editor', 'viewer'] as const;
type AutomaticRole = (typeof automaticRoles)[number];

const maxNameLength = 40;
const maxDomains = 100;
const maxSecretLength = 1_000;
const domainPattern = /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)*[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;
const required = ['OIDC_ISSUER', 'OIDC_CLIENT_ID', 'OIDC_CLIENT_SECRET'] as const;
const optional = ['OIDC_NAME', 'OIDC_DOMAINS', 'OIDC_ONLY', 'OIDC_WORKSPACE', 'OIDC_WORKSPACE_ROLE'] as const;
/** As in the table of workspaces. */
const slugPattern = /^[a-z0-9](?:[a-z0-9-]{0,38}[a-z0-9])?$/;

/** Undefined where no provider is set. Each error starts with the name of its variable, and repeats no secret. */
export function readOpenIdConfig(
  given: (name: string) => string | undefined,
  onError: (error: string) => void,
): OpenIdConfig | undefined {
  const isSet = [...required, ...optional].map(given).some((value) => value !== undefined);
  if (!isSet) return undefined;
  let isValid = true;
  const fail = (error: string) => {
    isValid = false;
    onError(error);
  };
  const [issuer = '', clientId = '', clientSecret = ''] = required.map((name) => {
    const value = given(name);
    if (value === undefined)
      fail(`${name} must be set to sign in with OpenID Connect: set it, or remove all OIDC_ variables`);
    else if (value.length > maxSecretLength || /\p{Cc}/u.test(value))
      fail(`${name} must have at most ${maxSecretLength} characters, none of them a control character`);
    return value;
  });
  const issuerError = issuer === '' ? undefined : errorOfIssuer(issuer);
  if (issuerError) fail(`OIDC_ISSUER ${issuerError}`);

  const name = given('OIDC_NAME') ?? parseUrl(issuer)?.hostname ?? '';
  if (/\p{Cc}/u.test(name) || (given('OIDC_NAME') !== undefined && [...name].length > maxNameLength))
    fail(`OIDC_NAME must be one line of at most ${maxNameLength} characters`);

  const domains = (given('OIDC_DOMAINS') ?? '')
    .split(',')
    .map((domain) => domain.trim().toLowerCase())
    .filter((domain) => domain !== '');
  const wrong = domains.find((domain) => domain.length > 253 || !domainPattern.test(domain));
  if (wrong !== undefined || domains.length > maxDomains)
    fail(
      `OIDC_DOMAINS must be at most ${maxDomains} domains of email addresses, such as example.com, separated by commas${wrong === undefined ? '' : `, not "${wrong}"`}`,
    );

  const only = given('OIDC_ONLY') ?? 'off';
  if (only !== 'on' && only !== 'off') fail(`OIDC_ONLY must be one of on, off, not "${only}"`);

  const slug = given('OIDC_WORKSPACE');
  if (slug !== undefined && !slugPattern.test(slug.slice(0, 100)))
    fail('OIDC_WORKSPACE must be what follows /w/ in the address of a workspace, such as staff');
  if (slug !== undefined && domains.length === 0)
    fail('OIDC_WORKSPACE needs OIDC_DOMAINS: otherwise everybody with an account there could join');
  const givenRole = given('OIDC_WORKSPACE_ROLE');
  const role = automaticRoles.find((each) => each === (givenRole ?? 'viewer'));
  if (!role) fail(`OIDC_WORKSPACE_ROLE must be one of ${automaticRoles.join(', ')}, not "${givenRole}"`);
  if (givenRole !== undefined && slug === undefined)
    fail('OIDC_WORKSPACE_ROLE needs OIDC_WORKSPACE: set both, or remove it');
  if (!isValid) return undefined;
  return Object.freeze({
    issuer,
    clientId,
    clientSecret,
    name,
    domains: Object.freeze(domains),
    isOnly: only === 'on',
    ...(slug !== undefined && role && { workspace: Object.freeze({ slug, role }) }),
  });
}

function errorOfIssuer(text: string): string | undefined {
  const url = parseUrl(text);
  if (!url || !/^https?:$/.test(url.protocol)) return 'must be a URL that starts with https://';
  if (url.protocol === 'http:' && !isLoopbackUrl(url))
    return 'must start with https://; http:// is only for a provider on this machine';
  if (/[?#]/.test(text) || url.username || url.password)
    return 'must not have a query, fragment, user name or password';
  return undefined;
}

/** Without ipaddr.js, so that commands that only read the configuration need not load it. */
export const isLoopbackUrl = ({ hostname }: URL) =>
  /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/.test(hostname);
