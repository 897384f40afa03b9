import { figure } from '../../ui/figure.ts';

interface Outcome {
  applied: number;
  refused: number;
  waiting: number;
}

const codes = (count: number) => `${figure(count)} ${count === 1 ? 'code' : 'codes'}`;

/** "1 code has the style" */
export function appliedText({ applied }: Pick<Outcome, 'applied'>): string {
  return `${codes(applied)} ${applied === 1 ? 'has' : 'have'} the style`;
}

/** "2 codes stay as they were" */
export function refusedText({ refused }: Pick<Outcome, 'refused'>): string {
  return `${codes(refused)} ${refused === 1 ? 'stays as it was' : 'stay as they were'}`;
}

/** "3 codes wait" */
export function waitingText({ waiting }: Pick<Outcome, 'waiting'>): string {
  return `${codes(waiting)} ${waiting === 1 ? 'waits' : 'wait'}`;
}
