import { Counter, Gauge, type Registry } from 'prom-client';

interface JournalFigures {
  bytes: number;
  oldestMs: number;
  unjournaledScans: number;
  resentScans: number;
}

/** Without a journal, all of them are 0. */
export function addJournalMetrics(registry: Registry, read: () => JournalFigures | undefined): void {
  const figure = (name: keyof JournalFigures) => read()?.[name] ?? 0;
  const gauge = (name: string, help: string, value: () => number) =>
    registry.registerMetric(
      new Gauge({
        name,
        help,
        registers: [],
        aggregator: 'max',
        collect() {
          this.set(value());
        },
      }),
    );
  const counter = (name: string, help: string, value: () => number) =>
    registry.registerMetric(
      new Counter({
        name,
        help,
        registers: [],
        collect() {
          this.reset();
          this.inc(value());
        },
      }),
    );
  gauge(
    'qrelay_journal_bytes',
    'Size of the journal of the web process whose journal is largest. Its limit is that of the spool.',
    () => figure('bytes'),
  );
  gauge(
    'qrelay_journal_oldest_seconds',
    'How long the oldest batch of the journal has not been recorded; 0 if there is none.',
    () => figure('oldestMs') / 1000,
  );
  counter(
    'qrelay_scans_unjournaled_total',
    'Scans that are only in the queue, because the journal was full or could not be written.',
    () => figure('unjournaledScans'),
  );
  counter(
    'qrelay_scans_resent_total',
    'Scans that the queue had lost and that were sent again from the journal.',
    () => figure('resentScans'),
  );
}
