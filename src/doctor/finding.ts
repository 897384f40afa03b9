/** In the order in which they are examined and shown. */
export const subjects = [
  'configuration',
  'postgres',
  'redis',
  'queue',
  'spool',
  'geo data',
  'proxy',
  'disk',
] as const;

export type Subject = (typeof subjects)[number];
export type State = 'ok' | 'warning' | 'failure';

/** One line of the report. What is not ok has a remedy. */
export interface Finding {
  subject: Subject;
  state: State;
  finding: string;
  remedy?: string;
}

/** Thrown by a check that cannot go on: the finding tells why. */
export class StoppedBy extends Error {
  override name = 'StoppedBy';
  readonly finding: Finding;

  constructor(finding: Finding) {
    super(finding.finding);
    this.finding = finding;
  }
}

/** The words of one subject: `ok('…')`, `warning('…', 'what to do')`, `failure('…', 'what to do')`. */
export function findingsOn(subject: Subject) {
  return {
    ok: (finding: string): Finding => ({ subject, state: 'ok', finding }),
    warning: (finding: string, remedy: string): Finding => ({ subject, state: 'warning', finding, remedy }),
    failure: (finding: string, remedy: string): Finding => ({ subject, state: 'failure', finding, remedy }),
  };
}
