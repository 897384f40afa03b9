import type { AddressPolicy } from '../net/address-policy.ts';
import type { SecretBox } from '../webhooks/signing.ts';

/** What the API and the pages need to manage webhook endpoints. */
export interface WebhookParts {
  box: SecretBox;
  /** The addresses that an endpoint may have. */
  policy: AddressPolicy;
}
