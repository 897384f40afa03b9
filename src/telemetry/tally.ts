import { Counter, type Registry } from 'prom-client';

interface TallyOptions<Label extends string, Value extends string> {
  name: string;
  help: string;
  label: Label;
  /** Every value there is: each is told from the start, as 0. */
  values: readonly Value[];
}

/** Plain numbers, to be added to where a look-up of labels would be too dear; a counter when somebody asks. */
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
