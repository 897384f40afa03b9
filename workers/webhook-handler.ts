import type { JobHandler } from '../src/queue/queue-worker.ts';
import { isDatabaseUnavailable } from '../src/store/database.ts';
import type { Log } from '../src/telemetry/log.ts';
import type { WebhookDeliverer } from './webhook-deliverer.ts';

export interface WebhookHandlerOptions {
  deliverer: WebhookDeliverer;
  log: Log;
}

/** Safe to repeat: an endpoint is claimed before it is called. */
export function createWebhookHandler({ deliverer, log }: WebhookHandlerOptions): JobHandler<object> {
  return async () => {
    await deliverer.start().catch((err: unknown) => {
      if (!isDatabaseUnavailable(err)) throw err;
      // The next run finds the same: put back, the runs of an outage would pile up.
      log.warn({ err }, 'webhook endpoints were not called');
    });
  };
}
