import { existsSync } from 'node:fs';
import { expect } from 'chai';
import { type ApiClient, apiClient } from '../support/api-client.ts';
import { eventually } from '../support/eventually.ts';
import { type Fixture, startFixture } from '../support/fixture.ts';
import { descendants } from '../support/process-tree.ts';
import { createCode } from '../support/share.ts';

const codes = 40;
/** A killed worker leaves a code that nobody else takes for two minutes, */
const claimMs = 120_000;
/** and then at the next run of the job. */
const periodMs = 60_000;

describe('A style that is applied while the worker is killed', () => {
  let fixture: Fixture;
  let api: ApiClient;

  beforeEach(async () => {
    fixture = await startFixture();
    api = apiClient(fixture.url, await fixture.makeKey());
  });
  afterEach(() => fixture.stop());

  const reached = (applied: number) =>
    eventually(
      async () => {
        const [row] = await fixture.db('style_application_codes').where({ is_applied: true }).count();
        expect(Number(row?.['count'])).to.be.at.least(applied);
      },
      claimMs + periodMs + 60_000,
      250,
    );

  it(`is applied to each of ${codes} codes, and leaves no process behind`, async function () {
    this.timeout(3 * (claimMs + periodMs + 60_000));
    const ids: string[] = [];
    for (let number = 0; number < codes; number += 1) ids.push((await createCode(api)).id);
    const style = (await api('/styles', { method: 'POST', body: { name: 'Ours', moduleShape: 'dots' } }))
      .body;
    const { id } = (await api(`/styles/${style.id}/apply`, { method: 'POST', body: { qrCodeIds: ids } }))
      .body;
    const startedAt = performance.now();
    const [worker] = fixture.workers;
    const started: number[] = [];
    for (const applied of [5, 15]) {
      await reached(applied);
      started.push(...descendants(worker?.process.pid as number));
      await worker?.end('SIGKILL');
      await worker?.restart();
    }
    await reached(codes);
    const seconds = Math.round((performance.now() - startedAt) / 1000);
    expect((await api(`/style-applications/${id}`)).body).to.include({
      status: 'done',
      total: codes,
      pending: 0,
      applied: codes,
    });
    for (const codeId of ids) {
      const { body } = await api(`/qrcodes/${codeId}/design`);
      expect(body.moduleShape).to.equal('dots');
      expect(body.readsAtMm).to.be.a('number');
    }
    // Those that prove designs ended with the workers that started them.
    expect(started).to.have.length.above(0);
    await eventually(() => expect(started.filter((pid) => existsSync(`/proc/${pid}`))).to.deep.equal([]));
    console.log(`      ${codes} codes in ${seconds} s, 2 kills`);
  });
});
