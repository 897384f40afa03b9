import { parseUrl } from '../http/parse-url.ts';
import type { Log } from './log.ts';
import type { SamplerConfig, Tracing, TracingConfig } from './tracing-sdk.ts';

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

const defaultRatio = 0.01;

const samplers: Record<string, (ratio: number) => SamplerConfig> = {
  always_on: () => ({ ratio: 1, isParentBased: false }),
  always_off: () => ({ ratio: 0, isParentBased: false }),
  traceidratio: (ratio) => ({ ratio, isParentBased: false }),
  parentbased_always_on: () => ({ ratio: 1, isParentBased: true }),
  parentbased_always_off: () => ({ ratio: 0, isParentBased: true }),
  parentbased_traceidratio: (ratio) => ({ ratio, isParentBased: true }),
};

/**
 * Undefined, and without errors, if no endpoint is set: the other variables may be meant for other programs. Messages do
 * not repeat the values of endpoint and headers, which may hold credentials.
 */
export function readTracingConfig(
  given: (name: string) => string | undefined,
  report: (error: string) => void,
): TracingConfig | undefined {
  const endpoint = given('OTEL_EXPORTER_OTLP_ENDPOINT');
  const headerList = given('OTEL_EXPORTER_OTLP_HEADERS');
  const serviceName = given('OTEL_SERVICE_NAME');
  const attributeList = given('OTEL_RESOURCE_ATTRIBUTES');
  const samplerName = given('OTEL_TRACES_SAMPLER') ?? 'parentbased_traceidratio';
  const samplerArgument = given('OTEL_TRACES_SAMPLER_ARG');
  if (endpoint === undefined) return undefined;

  const url = parseUrl(endpoint);
  if (!url || !/^https?:$/.test(url.protocol) || url.search || url.hash)
    report('OTEL_EXPORTER_OTLP_ENDPOINT must be a URL that starts with http:// or https://, without a query');
  const pairs = (name: string, list: string | undefined) => {
    const read = readPairs(list ?? '');
    if (!read)
      report(`${name} must be a list of key=value, separated by commas, with values percent-encoded`);
    return read ?? {};
  };
  const sampler = samplers[samplerName];
  if (!sampler)
    report(`OTEL_TRACES_SAMPLER must be one of ${Object.keys(samplers).join(', ')}, not "${samplerName}"`);
  const usesArgument = samplerName.endsWith('traceidratio');
  const ratio = usesArgument && samplerArgument !== undefined ? readRatio(samplerArgument) : defaultRatio;
  if (ratio === undefined)
    report(`OTEL_TRACES_SAMPLER_ARG must be a number from 0 to 1, not "${samplerArgument}"`);
  return {
    url: `${endpoint}${endpoint.endsWith('/') ? '' : '/'}v1/traces`,
    headers: pairs('OTEL_EXPORTER_OTLP_HEADERS', headerList),
    serviceName,
    resourceAttributes: pairs('OTEL_RESOURCE_ATTRIBUTES', attributeList),
    sampler: (sampler ?? samplers['always_off'])?.(ratio ?? 0) ?? { ratio: 0, isParentBased: true },
  };
}

function readRatio(text: string): number | undefined {
  const ratio = /^\d{0,3}(?:\.\d{1,20})?$/.test(text) ? Number(text) : Number.NaN;
  return ratio >= 0 && ratio <= 1 ? ratio : undefined;
}

function readPairs(list: string): Record<string, string> | undefined {
  const pairs: Record<string, string> = {};
  for (const part of list.split(',')) {
    if (part.trim() === '') continue;
    const mark = part.indexOf('=');
    const key = part.slice(0, mark).trim();
    const value = decode(part.slice(mark + 1).trim());
    if (mark < 0 || !/^[\w.!#$&+^`|~*'/-]{1,256}$/.test(key) || value === undefined) return undefined;
    pairs[key] = value;
  }
  return pairs;
}

/** Undefined if it is not percent-encoded correctly, or has characters that no header may have. */
function decode(text: string): string | undefined {
  try {
    const value = decodeURIComponent(text);
    return /\p{Cc}/u.test(value) ? undefined : value;
  } catch {
    return undefined;
  }
}
