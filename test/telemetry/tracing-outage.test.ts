import { expect } from 'chai';
import { loadConfig } from '../../src/config.ts';
import { createLog } from '../../src/telemetry/log.ts';
import { openTracing } from '../../src/telemetry/tracing.ts';
import type { Tracing } from '../../src/telemetry/tracing-sdk.ts';
import { apiClient } from '../support/api-client.ts';
import { eventually } from '../support/eventually.ts';
import { freePort } from '../support/free-port.ts';
import { jsonLines } from '../support/json-lines.ts';
import { startOtlpReceiver } from '../support/otlp-receiver.ts';
import { startService } from '../support/service.ts';
import { createCode, openShare } from '../support/share.ts';

/** What the SDK keeps for the receiver, and one batch that is on its way. */
const maxSpans = 2_048 + 512;

const tracingTo = (url: string) =>
  loadConfig({ OTEL_EXPORTER_OTLP_ENDPOINT: url, OTEL_TRACES_SAMPLER: 'always_on' }).tracing;

describe('A receiver of traces', () => {
  let output = '';
  beforeEach(() => {
    output = '';
  });

  async function open(url: string): Promise<Tracing> {
    const log = createLog('test', 'info', { write: (line) => void (output += line) });
    const tracing = await openTracing(tracingTo(url), 'test', log);
    if (!tracing) throw new Error('It is not configured');
    return tracing;
  }
  const addSpans = (tracing: Tracing, count: number) => {
    for (let index = 0; index < count; index += 1) tracing.startSpan('one', { kind: 'server' }).end();
  };
  const failures = () =>
    jsonLines(output).filter(({ msg }) => String(msg).startsWith('traces could not be exported'));

  it('that responds with 500 loses spans, which is logged', async () => {
    const receiver = await startOtlpReceiver((res) => res.writeHead(500).end());
    const tracing = await open(receiver.url);
    addSpans(tracing, 10);
    await eventually(() => expect(failures()).to.have.length(1));
    expect(failures()[0]).to.include({ level: 40, spans: 10 });
    await tracing.close();
    await receiver.stop();
  });

  it('that is down or hangs holds up neither the process nor its end [timed]', async () => {
    const receiver = await startOtlpReceiver(() => undefined);
    for (const url of [`http://127.0.0.1:${await freePort()}`, receiver.url]) {
      const tracing = await open(url);
      addSpans(tracing, 10);
      const startedAt = performance.now();
      await tracing.close();
      expect(performance.now() - startedAt).to.be.below(5_000);
    }
    await receiver.stop();
  });

  it('that hangs gets what fits into a bounded queue; the rest is dropped', async () => {
    const receiver = await startOtlpReceiver(() => undefined);
    const tracing = await open(receiver.url);
    addSpans(tracing, 600);
    await eventually(() => expect(receiver.spans.length).to.be.above(0));
    addSpans(tracing, 50_000);
    // Closing sends what is waiting, and does not wait for an answer.
    await tracing.close();
    expect(receiver.spans.length).to.be.within(600, maxSpans);
    await receiver.stop();
  });

  it('that hangs loses no scan', async () => {
    const receiver = await startOtlpReceiver(() => undefined);
    const service = await startService({ worker: true, config: { tracing: tracingTo(receiver.url) } });
    const api = apiClient(service.url, await service.makeKey());
    const { id, shareToken } = await createCode(api);
    for (let round = 0; round < 10; round += 1) {
      const responses = await Promise.all(
        Array.from({ length: 50 }, () => openShare(service.url, shareToken)),
      );
      expect(responses.map(({ status }) => status)).to.deep.equal(Array.from({ length: 50 }, () => 302));
    }
    await eventually(async () => {
      const { rows } = await service.db.raw('SELECT count(*) FROM scans WHERE qr_code_id = ?', [id]);
      expect(Number(rows[0].count)).to.equal(500);
    });
    await service.stop();
    await receiver.stop();
  });
});
