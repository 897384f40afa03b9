import { Counter, type Registry } from 'prom-client';

interface TallyOptions<Label extends string, Value extends string> {
  name: string;
  help: string;
  label: Label;
  /** All values of the label. Each is exported from the start, as 0. */
  values: readonly Value[];
}

/**
 * A counter with one label for the scan lane: plain numbers to increment, without prom-client's label lookup. They are
 * copied into a prom-client counter only when metrics are read.
 */
export function addTally<Label extends string, Value extends string>(
  registry: Registry,
  { name, help, label, values }: TallyOptions<Label, Value>,
): Record<Value, number> {
  const tally = Object.fromEntries(values.map((value) => [value, 0])) as Record<Value, number>;
  registry.registerMetric(
    new Counter<Label>({
      name,
      help,
      labelNames: [label],
      registers: [],
      collect() {
        this.reset();
        for (const value of values)
          this.inc({ [label]: value } as unknown as Record<Label, string>, tally[value]);
      },
    }),
  );
  return tally;
}
