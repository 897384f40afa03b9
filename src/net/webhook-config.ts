import { networksError } from './address-policy.ts';

export interface WebhookConfig {
  /** Networks that webhooks and checks of destinations may call besides public addresses, in CIDR notation. */
  networks: readonly string[];
  /** How long one call may take. */
  timeoutSeconds: number;
}

type ReadInteger = (name: string, fallback: number, least: number, most: number) => number;

/** Reads the variables of webhooks. Each error starts with the name of its variable. */
export function readWebhookConfig(
  given: (name: string) => string | undefined,
  integer: ReadInteger,
  onError: (error: string) => void,
): WebhookConfig {
  const networks = (given('WEBHOOK_NETWORKS') ?? '')
    .split(',')
    .map((network) => network.trim())
    .filter((network) => network !== '');
  const error = networksError(networks);
  if (error) onError(`WEBHOOK_NETWORKS ${error}`);
  return Object.freeze({
    networks: Object.freeze(error ? [] : networks),
    timeoutSeconds: integer('WEBHOOK_TIMEOUT_SECONDS', 10, 1, 30),
  });
}
