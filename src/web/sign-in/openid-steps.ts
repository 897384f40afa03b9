import type { Context } from 'koa';
import { type OpenIdPurpose, startOpenIdRequest } from '../../accounts/openid-requests.ts';
import { AppError } from '../../errors.ts';
import { OpenIdError, type OpenIdProvider } from '../../net/openid-provider.ts';
import { callerAddress } from '../middleware/caller.ts';
import type { Services } from '../services.ts';
import { createPages } from '../ui/page.ts';
import { ContinueView } from './openid-view.tsx';
import { takeAttempts } from './sign-in-steps.ts';

/** Per hour. A whole office may share one address, and nothing can be guessed. */
const maxPerAddress = 300;

export function requireProvider({ openId }: Services): OpenIdProvider {
  if (openId) return openId;
  throw new AppError('not_found', 'There is nothing at this address.');
}

/** Sends the browser to the OpenID provider. Returns why not, if that is refused. */
export async function sendToProvider(
  ctx: Context,
  parts: Services,
  purpose: OpenIdPurpose,
): Promise<{ error: string; status: number } | undefined> {
  const { db, config, secrets, sessions, now } = parts;
  const provider = requireProvider(parts);
  const address = secrets.hashAddress(callerAddress(ctx, config.trustProxyHops));
  const limit = { subject: `openid-address:${address}`, maxPerHour: maxPerAddress };
  const refused = await takeAttempts(ctx, parts, [limit]);
  if (refused) return { error: refused, status: 429 };
  try {
    // First, so that nothing is stored while the provider is down.
    await provider.check();
    // A form is accepted only with the cookie of the browser.
    const request = await startOpenIdRequest(db, sessions.browser(ctx) ?? '', purpose, now());
    const url = await provider.authorizationUrl(request, { isRepeated: purpose.kind === 'confirm' });
    ctx.set('Refresh', `0; url=${url}`);
    createPages(parts).show(ctx, ContinueView, { url });
    return undefined;
  } catch (error) {
    return { error: explainFailure(parts, error), status: 503 };
  }
}

/** What to say about a failure of the provider. Throws other errors. */
export function explainFailure({ config, log }: Services, error: unknown): string {
  if (!(error instanceof OpenIdError)) throw error;
  const name = config.openId?.name;
  if (error.reason === 'canceled') return `You did not sign in with ${name}.`;
  log.warn({ reason: error.reason, code: error.code }, 'the OpenID provider did not sign somebody in');
  if (error.reason === 'unreachable')
    return `${name} cannot be reached at the moment. Try again in a few minutes.`;
  return `The response of ${name} was not accepted. Try again. If that does not help, contact the operator of this service.`;
}
