import type { Config } from '../config.ts';
import { createOpenIdProvider, OpenIdError } from '../net/openid-provider.ts';
import type { Database } from '../store/database.ts';
import { hasWorkspace } from '../workspaces/automatic-membership.ts';
import { type Finding, findingsFor } from './finding.ts';

const { ok, failure } = findingsFor('openid');

/** Whether there is the workspace that people join when they first sign in. */
export async function checkOpenIdWorkspace(db: Database, { openId }: Config): Promise<Finding | false> {
  const slug = openId?.workspace?.slug;
  if (slug === undefined || (await hasWorkspace(db, slug))) return false;
  return failure(
    `There is no workspace with the address /w/${slug}: people who first sign in with ${openId?.name} join none.`,
    `Create it with \`qrelay workspace create ${slug} --owner <email>\`, set OIDC_WORKSPACE to what follows /w/ in the address of a workspace, or remove it.`,
  );
}

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
