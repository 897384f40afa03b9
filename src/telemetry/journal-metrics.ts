import { Counter, Gauge, type Registry } from 'prom-client';
import { withTimeout } from '../runtime/timeout.ts';

const timeoutMs = 1_000;

interface JournalFigures {
  bytes: number;
  oldestMs: number;
  unjournaledScans: number;
  resentScans: number;
}

/** Without a journal, all of them are 0. */
export function addJournalMetrics(registry: Registry, read: () => Promise<JournalFigures | undefined>): void {
  let latest: JournalFigures = { bytes: 0, oldestMs: 0, unjournaledScans: 0, resentScans: 0 };
  let reading: Promise<void> | undefined;
  /** Once for all metrics of a scrape. A thread that does not respond leaves the last values. */
  const update = () =>
    (reading ??= withTimeout(timeoutMs, read())
      .then(
        (figures) => {
          latest = figures ?? latest;
        },
        () => undefined,
      )
      .finally(() => {
        reading = undefined;
      }));
  const gauge = (name: string, help: string, value: () => number) =>
    registry.registerMetric(
      new Gauge({
        name,
        help,
        registers: [],
        aggregator: 'max',
        async collect() {
          await update();
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
        async collect() {
          await update();
          this.reset();
          this.inc(value());
        },
      }),
    );
  gauge(
    'qrelay_journal_bytes',
    'Size of the journal of the web process whose journal is largest. Its limit is that of the spool.',
    () => latest.bytes,
  );
  gauge(
    'qrelay_journal_oldest_seconds',
    'How long the oldest batch of the journal has not been recorded; 0 if there is none.',
    () => latest.oldestMs / 1000,
  );
  counter(
    'qrelay_scans_unjournaled_total',
    'Scans that are only in the queue, because the journal was full or could not be written.',
    () => latest.unjournaledScans,
  );
  counter(
    'qrelay_scans_resent_total',
    'Scans that the queue had lost and that were sent again from the journal.',
    () => latest.resentScans,
  );
}
