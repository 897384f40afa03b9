import type { Metric, Registry } from 'prom-client';

export interface Histogram {
  observe(value: number): void;
}

interface HistogramOptions {
  name: string;
  help: string;
  /** Upper bounds, ascending. */
  bounds: readonly number[];
}

/**
 * A histogram for the scan lane: plain counters that are turned into prom-client's format only when metrics are read.
 * prom-client's own histogram looks up its labels for each value: 1.1 µs instead of 0.1 µs, or 2 % of a redirect.
 */
export function addHistogram(registry: Registry, { name, help, bounds }: HistogramOptions): Histogram {
  // One per bound, and the last one for values above all bounds.
  const counts = new Float64Array(bounds.length + 1);
  const limits = Float64Array.from(bounds);
  let sum = 0;

  function values() {
    let count = 0;
    const buckets = [...bounds, '+Inf'].map((le, index) => {
      count += counts[index] as number;
      return { metricName: `${name}_bucket`, labels: { le }, value: count };
    });
    return [
      ...buckets,
      { metricName: `${name}_sum`, labels: {}, value: sum },
      { metricName: `${name}_count`, labels: {}, value: count },
    ];
  }

  const metric = { name, help, type: 'histogram', aggregator: 'sum' };
  // A registry calls nothing but `get`.
  registry.registerMetric({
    ...metric,
    get: async () => ({ ...metric, values: values() }),
  } as unknown as Metric);
  return {
    observe(value) {
      let index = 0;
      while (index < limits.length && value > (limits[index] as number)) index += 1;
      counts[index] = (counts[index] as number) + 1;
      sum += value;
    },
  };
}
