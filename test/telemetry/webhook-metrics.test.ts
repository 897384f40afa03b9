import { expect } from 'chai';
import { Registry } from 'prom-client';
import { addWebhookMetrics } from '../../src/telemetry/worker-metrics.ts';

describe('The metrics of webhooks', () => {
  it('are absent while the database does not respond, and the others are served', async () => {
    const registry = new Registry();
    addWebhookMetrics(registry, () => Promise.reject(new Error('down')));
    const lines = (await registry.metrics()).split('\n').filter((line) => line && !line.startsWith('#'));
    expect(lines).to.deep.equal([]);
  });
});
