import { hostname } from 'node:os';
import {
  diag,
  DiagLogLevel,
  ROOT_CONTEXT,
  type Span as SdkSpan,
  SpanKind as SdkSpanKind,
  SpanStatusCode,
  type SpanContext,
  trace,
  TraceFlags,
} from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import { resourceFromAttributes } from '@opentelemetry/resources';
import {
  AlwaysOnSampler,
  BatchSpanProcessor,
  type SpanExporter,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import { withTimeout } from '../runtime/timeout.ts';
import type { Log } from './log.ts';
import { throttle } from './throttle.ts';
import type { TraceContext } from './trace-context.ts';
import { createSampler } from './trace-sampler.ts';
import type { Span, SpanKind, SpanOptions, Tracing } from './tracing.ts';
import type { TracingConfig } from './tracing-config.ts';

/** What waits for a receiver that is down or slow. Further spans are dropped. */
const maxWaitingSpans = 2_048;
const exportEveryMs = 1_000;
const exportTimeoutMs = 10_000;
const closeTimeoutMs = 2_000;

const kinds: Record<SpanKind, SdkSpanKind> = {
  server: SdkSpanKind.SERVER,
  producer: SdkSpanKind.PRODUCER,
  consumer: SdkSpanKind.CONSUMER,
  client: SdkSpanKind.CLIENT,
};

/** The only file that uses OpenTelemetry's packages. It registers nothing globally but where the SDK's warnings go. */
export function startTracing(
  { url, headers, serviceName, resourceAttributes, sampler }: TracingConfig,
  defaultServiceName: string,
  log: Log,
): Tracing {
  logSdkWarnings(log);
  const exporter = logFailures(
    new OTLPTraceExporter({ url, headers: { ...headers }, timeoutMillis: exportTimeoutMs }),
    log,
  );
  const provider = new TracerProvider({
    resource: resourceFromAttributes({
      'service.name': defaultServiceName,
      'host.name': hostname(),
      'process.pid': process.pid,
      ...resourceAttributes,
      ...(serviceName !== undefined && { 'service.name': serviceName }),
    }),
    // `isSampled` has decided before a span is started.
    sampler: new AlwaysOnSampler(),
    spanProcessors: [
      new BatchSpanProcessor({
        exporter,
        maxQueueSize: maxWaitingSpans,
        scheduledDelayMillis: exportEveryMs,
      }),
    ],
  });
  const tracer = provider.getTracer('qrelay');
  return {
    isSampled: createSampler(sampler),
    startSpan(name, { kind, attributes = {}, parent, links = [] }: SpanOptions) {
      const context = parent ? trace.setSpanContext(ROOT_CONTEXT, toSdk(parent)) : ROOT_CONTEXT;
      return wrap(
        tracer.startSpan(
          name,
          { kind: kinds[kind], attributes, links: links.map((link) => ({ context: toSdk(link) })) },
          context,
        ),
      );
    },
    async close() {
      // A receiver that hangs must not delay the shutdown.
      await withTimeout(closeTimeoutMs, provider.shutdown()).catch(() => undefined);
    },
  };
}

function wrap(span: SdkSpan): Span {
  const { traceId, spanId } = span.spanContext();
  return {
    context: { traceId, spanId, isSampled: true },
    set: (attributes) => void span.setAttributes(attributes),
    rename: (name) => void span.updateName(name),
    link: (to) => void span.addLink({ context: toSdk(to) }),
    fail(error) {
      span.setAttribute('error.type', errorType(error));
      span.setStatus({ code: SpanStatusCode.ERROR });
    },
    end: () => span.end(),
  };
}

function toSdk({ traceId, spanId, isSampled }: TraceContext): SpanContext {
  return {
    traceId,
    spanId,
    traceFlags: isSampled ? TraceFlags.SAMPLED : TraceFlags.NONE,
    isRemote: true,
  };
}

function errorType(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const code = 'code' in error ? error.code : undefined;
  return typeof code === 'string' ? code : error.name;
}

function logFailures(exporter: SpanExporter, log: Log): SpanExporter {
  const logFailed = throttle((err, spans) =>
    log.warn({ err, spans }, 'traces could not be exported; their spans are lost, and nothing else'),
  );
  return {
    export(spans, onDone) {
      exporter.export(spans, (result) => {
        if (result.error) logFailed(result.error, spans.length);
        onDone(result);
      });
    },
    shutdown: () => exporter.shutdown(),
    ...(exporter.forceFlush && { forceFlush: () => exporter.forceFlush?.() ?? Promise.resolve() }),
  };
}

/** Such as "Dropped 120 spans because maxQueueSize reached". Errors of the export are logged by `logFailures`. */
function logSdkWarnings(log: Log): void {
  const logWarning = throttle((message, times) =>
    log.warn({ from: 'opentelemetry', times }, String(message)),
  );
  const ignore = () => undefined;
  diag.setLogger(
    { error: ignore, warn: (message) => logWarning(message), info: ignore, debug: ignore, verbose: ignore },
    { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true },
  );
}
