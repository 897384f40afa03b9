import { Counter, Registry } from 'prom-client';

/** Every metric of the service, declared in one place. Made once a process and passed to whoever counts. */
export function createMetrics() {
  const registry = new Registry();
  const counter = <Label extends string>(name: string, help: string, labelNames: readonly Label[] = []) =>
    new Counter({ name, help, labelNames, registers: [registry] });

  return {
    registry,
    shareAnswers: counter(
      'qrelay_share_answers_total',
      'Answers of live, public share addresses: counted as a scan, or the reason why not.',
      ['outcome'],
    ),
    scansSpooled: counter(
      'qrelay_scans_spooled_total',
      'Scans written to the spool because the queue did not take them in time.',
    ),
    scansReplayed: counter('qrelay_scans_replayed_total', 'Scans handed from the spool to the queue.'),
    scansDropped: counter(
      'qrelay_scans_dropped_total',
      'Scans lost: neither queue nor spool could take them.',
    ),
    spoolTornLines: counter('qrelay_spool_torn_lines_total', 'Spool lines that a crash left half-written.'),
    scansRecorded: counter(
      'qrelay_scans_recorded_total',
      'Scans that a worker took: recorded, delivered before, of a deleted code, or dead.',
      ['outcome'],
    ),
  };
}

export type Metrics = ReturnType<typeof createMetrics>;
