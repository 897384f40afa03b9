import { Gauge, type Registry } from 'prom-client';
import { withTimeout } from '../runtime/timeout.ts';
import { cached } from './cached.ts';

const timeoutMs = 1_000;
const cacheMs = 10_000;

const endpointStates = ['working', 'failing', 'disabled', 'off'] as const;

interface WebhookFigures {
  waiting: number;
  lateSeconds: number;
  endpoints: Record<(typeof endpointStates)[number], number>;
}

/** Read from the database, so every worker reports the same. Absent while it does not respond. */
export function addWebhookMetrics(registry: Registry, read: () => Promise<WebhookFigures>): void {
  const readAll = cached(() => withTimeout(timeoutMs, read()).catch(() => undefined), cacheMs);
  function addGauge(
    options: { name: string; help: string; labelNames?: string[] },
    set: (gauge: Gauge, figures: WebhookFigures) => void,
  ): void {
    registry.registerMetric(
      new Gauge({
        ...options,
        registers: [],
        async collect() {
          const figures = await readAll();
          this.reset();
          // A reset sets one without labels to 0, and removes the others.
          if (figures) set(this, figures);
          else if (!options.labelNames) this.remove();
        },
      }),
    );
  }
  addGauge(
    {
      name: 'qrelay_webhook_events_waiting',
      help: 'Deliveries that wait, and groups of scans that are in none yet; up to 100,000 of each are counted.',
    },
    (gauge, { waiting }) => gauge.set(waiting),
  );
  addGauge(
    {
      name: 'qrelay_webhook_late_seconds',
      help: 'How long ago the oldest event that waits for an endpoint that works should have been sent, except scans.',
    },
    (gauge, { lateSeconds }) => gauge.set(lateSeconds),
  );
  addGauge(
    {
      name: 'qrelay_webhook_endpoints',
      help: 'Webhook endpoints: working, failing, disabled (it failed for three days, or is gone), off (by its owner).',
      labelNames: ['state'],
    },
    (gauge, { endpoints }) => {
      for (const state of endpointStates) gauge.set({ state }, endpoints[state]);
    },
  );
}
