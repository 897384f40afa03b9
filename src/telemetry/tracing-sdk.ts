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
import type { TraceContext } from '../http/trace-context.ts';
import { withTimeout } from '../runtime/timeout.ts';
import type { Log } from './log.ts';
import { throttle } from './throttle.ts';

/** Where and how traces are exported. The variables and their formats are OpenTelemetry's. */
export interface TracingConfig {
  /** OTEL_EXPORTER_OTLP_ENDPOINT with `/v1/traces`. */
  url: string;
  headers: Readonly<Record<string, string>>;
  serviceName: string | undefined;
  resourceAttributes: Readonly<Record<string, string>>;
  sampler: SamplerConfig;
}

export type SpanKind = 'server' | 'producer' | 'consumer' | 'client';

/** Never a client's address, a key, a token, content, an e-mail address or a query string: traces leave the installation. */
export type SpanAttributes = Record<string, string | number | boolean>;

export interface Span {
  readonly context: TraceContext;
  set(attributes: SpanAttributes): void;
  rename(name: string): void;
  /** To a span of another trace. */
  link(to: TraceContext): void;
  /** Exports only the code or name of the error: messages may quote data. */
  fail(error: unknown): void;
  end(): void;
}

export interface SpanOptions {
  kind: SpanKind;
  attributes?: SpanAttributes;
  /** A span of this or another process. Without it, the span begins a new trace. */
  parent?: TraceContext | undefined;
  links?: TraceContext[];
}

export interface Tracing {
  /** Whether a request or job is to be traced. Only then are spans started: each one is exported. */
  isSampled: Sampler;
  startSpan(name: string, options: SpanOptions): Span;
  /** Exports what has ended, as far as the receiver takes it in a short time. */
  close(): Promise<void>;
}

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

/** For example "Dropped 120 spans because maxQueueSize reached". `logFailures` logs the errors of exports. */
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

export interface SamplerConfig {
  /** The share of requests that are traced, from 0 to 1. */
  ratio: number;
  /** Whether the caller's decision counts, where there is one. */
  isParentBased: boolean;
}

/** Decides before any span exists, because most requests get none. */
export type Sampler = (parent?: TraceContext) => boolean;

/** A caller, and whoever can send headers through it, could otherwise have every request traced. */
export const maxForcedPerSecond = 100;

export function createSampler(
  { ratio, isParentBased }: SamplerConfig,
  elapsedMs: () => number = () => performance.now(),
): Sampler {
  let windowStart = Number.NEGATIVE_INFINITY;
  let forced = 0;

  function mayForce(): boolean {
    if (elapsedMs() - windowStart >= 1_000) {
      windowStart = elapsedMs();
      forced = 0;
    }
    forced += 1;
    return forced <= maxForcedPerSecond;
  }

  return (parent) => {
    if (!parent) return Math.random() < ratio;
    if (isParentBased) return parent.isSampled && mayForce();
    // By the trace's id, so that all processes decide alike.
    return Number.parseInt(parent.traceId.slice(-8), 16) < ratio * 2 ** 32;
  };
}
