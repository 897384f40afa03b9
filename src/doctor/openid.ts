import type { Config } from '../config.ts';
import { createOpenIdProvider, OpenIdError } from '../net/openid-provider.ts';
import { type Finding, findingsFor } from './finding.ts';

const { ok, failure } = findingsFor('openid');

/** Reads the metadata of the OpenID provider. Signs nobody in, so it cannot check the client's secret. */
export async function checkOpenId({ openId, baseUrl }: Config): Promise<Finding | false> {
  if (!openId) return false;
  const callbackUrl = `${baseUrl}/signin/oidc/callback`;
  try {
    await createOpenIdProvider(openId, { callbackUrl }).check();
  } catch (error) {
    if (!(error instanceof OpenIdError)) throw error;
    const consequence = openId.isOnly ? 'Nobody can sign in' : `Nobody can sign in with ${openId.name}`;
    return failure(
      `The OpenID provider ${openId.issuer} cannot be used: ${error.code}. ${consequence}.`,
      `Check that this machine reaches ${openId.issuer}, and that OIDC_ISSUER is exactly the issuer that the provider names.`,
    );
  }
  return ok(
    `The OpenID provider ${openId.issuer} responds. Its client must have the redirect URI ${callbackUrl}.`,
  );
}
