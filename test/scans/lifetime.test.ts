import { expect } from 'chai';
import { dayMs } from '../../src/runtime/units.ts';
import type { ApiClient } from '../support/api-client.ts';
import { countersOf } from '../support/counters.ts';
import { eventually } from '../support/eventually.ts';
import { ownerClient } from '../support/owner-client.ts';
import { startService, type TestService } from '../support/service.ts';
import { createCode, openShare } from '../support/share.ts';

/** The simulated years are in the past: their scans need no partitions of the future. */
const days = 730;
const daysBetweenScans = 5;

describe('A code, from the redirect to the renewal', function () {
  this.timeout(180_000);
  let service: TestService;
  let api: ApiClient;
  const start = Date.now() - days * dayMs;

  before(async () => {
    service = await startService({ worker: true });
    api = ownerClient(service);
  });
  after(() => service.stop());

  /** The share links that the service remembers are read again. */
  function goTo(day: number): void {
    service.setNow(new Date(start + day * dayMs));
    service.passTime(10_000);
  }

  async function totalOf(id: string): Promise<number> {
    const rows = (await service
      .db('scan_counters')
      .where({ qr_code_id: id, dimension: 'total' })
      .sum('count as sum')) as {
      sum: string | null;
    }[];
    return Number(rows[0]?.sum ?? 0);
  }

  it('never expires while it is scanned every five days for two years, and does when it is not, or when its owner said so', async () => {
    goTo(0);
    const used = await createCode(api);
    const unused = await createCode(api);
    const early = await createCode(api);
    const chosenEnd = new Date(start + 400 * dayMs).toISOString();
    const chosen = await createCode(api, { expiresAt: chosenEnd });
    const statusOf = async ({ shareToken }: { shareToken: string }) =>
      (await openShare(service.url, shareToken)).status;
    const endOf = async ({ id }: { id: string }) => (await api(`/qrcodes/${id}`)).body.expiresAt as string;

    for (let day = daysBetweenScans; day <= days; day += daysBetweenScans) {
      goTo(day);
      expect(await statusOf(used), `day ${day}`).to.equal(302);
      expect(await statusOf(chosen), `day ${day}`).to.equal(day < 400 ? 302 : 410);
      // Only in the first half of its life.
      if (day <= 180) expect(await statusOf(early), `day ${day}`).to.equal(302);
      // The worker may be behind by days of this time, but not by months.
      if (day % 30 === 0)
        await eventually(async () => expect(await totalOf(used.id)).to.equal(day / daysBetweenScans));
    }
    expect(await statusOf(unused)).to.equal(410);
    expect(await statusOf(early)).to.equal(410);
    expect(await endOf(unused)).to.equal(new Date(start + 365 * dayMs).toISOString());
    expect(await endOf(early)).to.equal(new Date(start + 365 * dayMs).toISOString());
    expect(await endOf(chosen)).to.equal(chosenEnd);
    const left = (Date.parse(await endOf(used)) - (start + days * dayMs)) / dayMs;
    expect(left).to.be.within(182, 365);
    expect(await countersOf(service.db, unused.id)).to.deep.equal({});
  });
});
