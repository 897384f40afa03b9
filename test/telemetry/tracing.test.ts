import { expect } from 'chai';
import { loadConfig } from '../../src/config.ts';
import { type ApiClient, apiClient } from '../support/api-client.ts';
import { eventually } from '../support/eventually.ts';
import { startOtlpReceiver } from '../support/otlp-receiver.ts';
import type { ReceivedSpan } from '../support/otlp-spans.ts';
import { onBothQueues } from '../support/queue-engines.ts';
import { startService, type TestService } from '../support/service.ts';
import { createCode, openShare, type SharedCode } from '../support/share.ts';

const tracingTo = (url: string, others: Record<string, string> = {}) =>
  loadConfig({
    OTEL_EXPORTER_OTLP_ENDPOINT: url,
    OTEL_TRACES_SAMPLER: 'parentbased_always_off',
    ...others,
  }).tracing;

const traceId = 'c0ffee00c0ffee00c0ffee00c0ffee00';
let traces = 0;
/** As a proxy that has decided to trace the request would send it: each with a trace of its own. */
function newTrace(flags = '01') {
  const id = `${traceId.slice(0, 24)}${(traces += 1).toString(16).padStart(8, '0')}`;
  return { id, headers: { traceparent: `00-${id}-00f067aa0ba902b7-${flags}` } };
}

onBothQueues('A traced scan', (redisUrl) => {
  let receiver: Awaited<ReturnType<typeof startOtlpReceiver>>;
  let service: TestService;
  let api: ApiClient;
  let code: SharedCode;

  before(async () => {
    receiver = await startOtlpReceiver();
    service = await startService({
      worker: true,
      redisUrl: redisUrl(),
      config: {
        trustProxyHops: 1,
        tracing: tracingTo(receiver.url, {
          OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20of-the-collector',
        }),
      },
    });
    api = apiClient(service.url, await service.makeKey());
    code = await createCode(api);
  });
  after(async () => {
    await service.stop();
    await receiver.stop();
  });

  /** The spans of a trace, once there are that many. */
  const spansOf = (id: string, count: number) =>
    eventually(() => {
      const found = receiver.spans.filter((span) => span.traceId === id);
      expect(found).to.have.length(count);
      return found;
    });
  const named = (spans: ReceivedSpan[], name: string) => {
    const span = spans.find((one) => one.name === name);
    if (!span) throw new Error(`${name} is not among ${spans.map((one) => one.name).join(', ')}`);
    return span;
  };
  const scan = (headers: Record<string, string>) =>
    openShare(service.url, `${code.shareToken}?utm_source=a-query`, {
      headers: { 'X-Forwarded-For': '81.2.69.142', ...headers },
    });

  it('is one trace from the redirect through the queue to the recording, which is linked', async () => {
    const trace = newTrace();
    expect((await scan(trace.headers)).status).to.equal(302);
    const spans = await spansOf(trace.id, 3);
    const redirect = named(spans, 'GET /r/:token');
    const enqueued = named(spans, 'enqueue scan');
    const processed = named(spans, 'process scan');
    expect(redirect).to.include({
      service: 'qrelay-web',
      kind: 'server',
      parentSpanId: '00f067aa0ba902b7',
      isError: false,
    });
    expect(redirect.attributes).to.deep.equal({
      'http.request.method': 'GET',
      'http.route': '/r/:token',
      'http.response.status_code': 302,
    });
    expect(enqueued).to.include({ kind: 'producer', parentSpanId: redirect.spanId });
    expect(enqueued.attributes).to.include({ 'qrelay.scan.storage': 'queue', 'qrelay.code.id': code.id });
    expect(processed).to.include({
      service: 'qrelay-worker',
      kind: 'consumer',
      parentSpanId: enqueued.spanId,
      isError: false,
    });
    expect(processed.attributes['qrelay.scan.id']).to.equal(enqueued.attributes['qrelay.scan.id']);
    expect(redirect.startMs).to.be.at.most(enqueued.startMs);
    expect(enqueued.startMs).to.be.at.most(processed.startMs);

    const recorded = await eventually(() => named(receiver.spans, 'record scans'));
    expect(processed.links).to.deep.equal([{ traceId: recorded.traceId, spanId: recorded.spanId }]);
    expect(recorded.links).to.deep.equal([{ traceId: trace.id, spanId: processed.spanId }]);
    expect(recorded).to.include({ kind: 'client', parentSpanId: '' });
    expect(recorded.traceId).to.not.equal(trace.id);
    expect(recorded.attributes).to.include({ 'db.operation.batch.size': 1 });
  });

  it('shares its recording with the others of its batch: one span, linked with each', async () => {
    const sampled = Array.from({ length: 20 }, () => newTrace());
    await Promise.all([...sampled, ...sampled.map(() => newTrace('00'))].map(({ headers }) => scan(headers)));
    for (const { id } of sampled) await spansOf(id, 3);
    const processed = receiver.spans.filter(({ name, links }) => name === 'process scan' && links.length > 0);
    const statements = receiver.spans.filter(({ name }) => name === 'record scans');
    expect(statements.length).to.be.below(processed.length);
    // Every link has its counterpart.
    for (const { traceId: trace, spanId, links } of processed)
      for (const link of links)
        expect(statements.find((one) => one.spanId === link.spanId)?.links).to.deep.include({
          traceId: trace,
          spanId,
        });
    expect(statements.flatMap(({ links }) => links)).to.have.length(processed.length);
  });

  it('is not traced unless it is sampled, and counted all the same', async () => {
    const unsampled = newTrace('00');
    const last = newTrace();
    await scan(unsampled.headers);
    await scan({});
    await scan(last.headers);
    await spansOf(last.id, 3);
    await eventually(async () => {
      const { body } = await api(`/qrcodes/${code.id}`);
      expect(body.scanCount).to.equal(44);
    });
    expect(receiver.spans.filter((span) => span.traceId === unsampled.id)).to.deep.equal([]);
    expect(new Set(receiver.spans.filter(({ name }) => name === 'process scan')).size).to.equal(22);
  });

  it('is continued when it is put back: each attempt has a span, and the failed one an error', async () => {
    const trace = newTrace();
    const attemptsWith = (isError: boolean) =>
      eventually(() => {
        const all = receiver.spans.filter(
          (span) => span.traceId === trace.id && span.name === 'process scan',
        );
        expect(all.some((span) => span.isError === isError)).to.equal(true);
        return all;
      });
    await service.db.transaction(async (holder) => {
      await holder('scan_counters').where({ qr_code_id: code.id }).forUpdate();
      await scan(trace.headers);
      const [failed] = await attemptsWith(true);
      expect(failed?.attributes).to.include({ 'error.type': 'TryLaterError' });
    });
    const attempts = await attemptsWith(false);
    expect(new Set(attempts.map(({ parentSpanId }) => parentSpanId)).size).to.equal(1);
    expect(new Set(attempts.map(({ attributes }) => attributes['qrelay.scan.id'])).size).to.equal(1);
  });

  it('has a server span for API requests and for share links that count nothing', async () => {
    const [list, missing, noCode] = [newTrace(), newTrace(), newTrace()];
    await api('/qrcodes?limit=5', { headers: list.headers });
    await fetch(`${service.url}/nowhere?secret=x`, { headers: missing.headers });
    await openShare(service.url, 'aaaaaaaaaa', { headers: noCode.headers });
    const [request] = await spansOf(list.id, 1);
    expect(request).to.include({ name: 'GET /api/v1/qrcodes', kind: 'server', service: 'qrelay-web' });
    expect(request?.attributes).to.deep.equal({
      'http.request.method': 'GET',
      'http.route': '/api/v1/qrcodes',
      'http.response.status_code': 200,
    });
    expect((await spansOf(missing.id, 1))[0]).to.include({ name: 'GET' });
    expect((await spansOf(noCode.id, 1))[0]?.attributes).to.include({ 'http.response.status_code': 404 });
  });

  it('sends no client address, key, share token, content, e-mail address or query string', async () => {
    const trace = newTrace();
    await scan({ ...trace.headers, 'User-Agent': 'curl/8 (secret)' });
    await spansOf(trace.id, 3);
    const sent = receiver.requests.map(({ body }) => body.toString('latin1')).join('\n');
    for (const secret of [
      code.shareToken,
      'example.com',
      '81.2.69',
      '127.0.0.1',
      'utm_source',
      'qrl_',
      'secret',
    ])
      expect(sent).to.not.include(secret);
    const allowed =
      /^(?:http\.(?:request\.method|route|response\.status_code)|messaging\.[\w.]+|db\.[\w.]+|qrelay\.(?:scan|code)\.(?:id|storage)|error\.type)$/;
    for (const { attributes } of receiver.spans)
      for (const name of Object.keys(attributes)) expect(name).to.match(allowed);
  });

  it('goes to /v1/traces with the headers of the operator', () => {
    for (const { path, headers } of receiver.requests) {
      expect(path).to.equal('/v1/traces');
      expect(headers).to.include({
        authorization: 'Bearer of-the-collector',
        'content-type': 'application/x-protobuf',
      });
    }
  });
});

describe('Jobs', () => {
  it('of other queues are traced too', async () => {
    const receiver = await startOtlpReceiver();
    const service = await startService({
      worker: true,
      config: { tracing: tracingTo(receiver.url, { OTEL_TRACES_SAMPLER: 'always_on' }) },
    });
    const purge = await eventually(() => {
      const span = receiver.spans.find(({ name }) => name === 'process purge');
      expect(span).to.not.equal(undefined);
      return span;
    });
    expect(purge).to.include({ kind: 'consumer', parentSpanId: '', service: 'qrelay-worker' });
    await service.stop();
    await receiver.stop();
  });
});

describe('A traceparent', () => {
  it('is ignored without trusted proxies: a client cannot have its requests traced', async () => {
    const receiver = await startOtlpReceiver();
    const service = await startService({ config: { tracing: tracingTo(receiver.url) } });
    const api = apiClient(service.url, await service.makeKey());
    const { shareToken } = await createCode(api, {});
    await openShare(service.url, shareToken, { headers: newTrace().headers });
    await api('/qrcodes', { headers: newTrace().headers });
    // Closing exports what there is.
    await service.stop();
    expect(receiver.spans).to.deep.equal([]);
    await receiver.stop();
  });
});
