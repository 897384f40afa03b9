import { expect } from 'chai';
import type { Fixture } from '../support/fixture.ts';

/**
 * Once nothing is on its way any more, the figures of the processes must tell what happened: as many scans as the client
 * received redirects, each of them queued or spooled, the spool handed over, and all of them recorded. For a fixture whose
 * processes were not restarted: figures begin anew with a process.
 */
export async function expectFiguresToAddUp(
  fixture: Fixture,
  redirects: number,
  { mayLoseAnswers = false }: { mayLoseAnswers?: boolean } = {},
): Promise<void> {
  const { web, workers } = await fixture.figures();
  const total = (of: typeof web, name: string, labels = {}) =>
    of.reduce((sum, figures) => sum + (figures.get(name, labels) ?? Number.NaN), 0);
  const counted = total(web, 'qrelay_share_answers_total', { outcome: 'counted' });
  const [queued, spooled, replayed, dropped] = ['queued', 'spooled', 'replayed', 'dropped'].map((way) =>
    total(web, `qrelay_scans_${way}_total`),
  ) as [number, number, number, number];
  const taken = (outcome: string) => total(workers, 'qrelay_scans_recorded_total', { outcome });

  expect(counted, 'counted').to.equal(redirects);
  expect(queued + spooled, 'queued and spooled').to.equal(counted);
  expect(replayed, 'replayed').to.equal(spooled);
  expect(dropped, 'dropped').to.equal(0);
  expect(total(web, 'qrelay_spool_bytes'), 'bytes in the spool').to.equal(0);
  expect(taken('code_deleted') + taken('dead'), 'deleted and dead').to.equal(0);
  if (mayLoseAnswers) {
    // What Postgres had committed and could not say any more came again, and was known then.
    expect(taken('recorded'), 'recorded').to.be.at.most(counted);
    expect(taken('recorded') + taken('delivered_before'), 'taken').to.be.at.least(counted);
  } else {
    expect(taken('recorded'), 'recorded').to.equal(counted);
  }
}
