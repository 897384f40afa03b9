import { isIP } from 'node:net';

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
  const wrong = networks.find((network) => !isNetwork(network));
  if (wrong !== undefined)
    onError(
      `WEBHOOK_NETWORKS must be networks in CIDR notation, such as 10.0.0.0/8, separated by commas, not "${wrong}"`,
    );
  return Object.freeze({
    networks: Object.freeze(wrong === undefined ? networks : []),
    timeoutSeconds: integer('WEBHOOK_TIMEOUT_SECONDS', 10, 1, 30),
  });
}

/** Without ipaddr.js, so that commands that only read the configuration need not load it. */
function isNetwork(text: string): boolean {
  const [address = '', bits = '', ...more] = text.split('/');
  const version = isIP(address);
  if (version === 0 || more.length > 0 || address.includes('%') || !/^\d{1,3}$/.test(bits)) return false;
  return Number(bits) <= (version === 4 ? 32 : 128);
}
