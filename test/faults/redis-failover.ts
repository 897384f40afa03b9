import { expect } from 'chai';
import { runQrelay } from '../support/programs.ts';
import { eventually } from '../support/eventually.ts';
import type { Fixture } from '../support/fixture.ts';

/** How long it took until everything that was asked for is true. */
export async function timeUntil(expected: () => Promise<unknown>, withinMs: number): Promise<number> {
  const startedAt = performance.now();
  await eventually(expected, withinMs);
  return Math.round(performance.now() - startedAt);
}

export async function readyStatus(fixture: Fixture): Promise<string> {
  const answer = await fetch(`${fixture.url}/readyz`);
  return ((await answer.json()) as { status: string }).status;
}

export async function expectCountersToBeRight(fixture: Fixture): Promise<void> {
  const { code, stdout } = await runQrelay(['counters', 'verify'], { DATABASE_URL: fixture.postgres.url });
  expect({ code, stdout }).to.deep.equal({ code: 0, stdout: '' });
}
