import type { Log } from './log.ts';
import type { TraceContext } from './trace-context.ts';
import type { Sampler } from './trace-sampler.ts';
import type { TracingConfig } from './tracing-config.ts';

export type SpanKind = 'server' | 'producer' | 'consumer' | 'client';

/** Never a client's address, a key, a token, content, an e-mail address or a query string: traces leave the installation. */
export type SpanAttributes = Record<string, string | number | boolean>;

export interface Span {
  readonly context: TraceContext;
  set(attributes: SpanAttributes): void;
  rename(name: string): void;
  /** To a span of another trace. */
  link(to: TraceContext): void;
  /** Of the error only its code or name: messages may quote data. */
  fail(error: unknown): void;
  end(): void;
}

export interface SpanOptions {
  kind: SpanKind;
  attributes?: SpanAttributes;
  /** Of this process or of another one. Without it, the span begins a trace of its own. */
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

/** Loads OpenTelemetry's packages only if traces are exported. */
export async function openTracing(
  config: TracingConfig | undefined,
  defaultServiceName: string,
  log: Log,
): Promise<Tracing | undefined> {
  if (!config) return undefined;
  const { startTracing } = await import('./tracing-sdk.ts');
  return startTracing(config, defaultServiceName, log);
}
