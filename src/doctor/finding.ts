/** In the order in which they are shown. */
export const subjects = [
  'configuration',
  'postgres',
  'backup',
  'secret',
  'data',
  'redis',
  'queue',
  'spool',
  'mail',
  'openid',
  'geo data',
  'proxy',
  'disk',
] as const;

export type Subject = (typeof subjects)[number];
export type State = 'ok' | 'warning' | 'failure';

/** One line of the report. A warning or failure has a remedy. */
export interface Finding {
  subject: Subject;
  state: State;
  finding: string;
  remedy?: string;
}

/** Thrown by a check that cannot continue; the finding says why. */
export class CheckAborted extends Error {
  override name = 'CheckAborted';
  readonly finding: Finding;

  constructor(finding: Finding) {
    super(finding.finding);
    this.finding = finding;
  }
}

/** Constructors for the findings of one subject: `ok(finding)`, `warning(finding, remedy)`, `failure(finding, remedy)`. */
export function findingsFor(subject: Subject) {
  return {
    ok: (finding: string): Finding => ({ subject, state: 'ok', finding }),
    warning: (finding: string, remedy: string): Finding => ({ subject, state: 'warning', finding, remedy }),
    failure: (finding: string, remedy: string): Finding => ({ subject, state: 'failure', finding, remedy }),
  };
}

/** What a check has found: findings, lists of them, and conditions that do not hold (`isFull && failure(…)`). */
export type Found = Finding | false | undefined | readonly Found[];

export function found(...given: Found[]): Finding[] {
  return given.flatMap((one) => {
    if (!one) return [];
    return 'state' in one ? [one] : found(...one);
  });
}
