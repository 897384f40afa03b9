import { expect } from 'chai';
import { hasDefaultEnd, renewCodes } from '../../src/codes/lifetime.ts';
import { QrCode } from '../../src/codes/qr-code.ts';
import { dayMs } from '../../src/runtime/units.ts';
import type { ScanRow } from '../../src/scans/scan.ts';
import { createScanRecorder } from '../../src/scans/scan-recorder.ts';
import { createCodeRenewals, type RenewScannedCodes } from '../../workers/scan-handler.ts';
import { apiClient } from '../support/api-client.ts';
import { countersOf } from '../support/counters.ts';
import { lockCode } from '../support/row-lock.ts';
import { scanRow } from '../support/scan-rows.ts';
import { startService, type TestService } from '../support/service.ts';
import { createCode } from '../support/share.ts';
import { testLog } from '../support/test-log.ts';

const lifetimeDays = 365;

describe('Renewing codes that are scanned', () => {
  let service: TestService;
  let renew: RenewScannedCodes;
  let elapsedMs = 0;
  const created = new Date('2025-03-01T09:30:00.123Z');

  before(async () => {
    service = await startService();
  });
  beforeEach(() => {
    renew = createCodeRenewals({ db: service.db, lifetimeDays, log: testLog(), elapsedMs: () => elapsedMs });
  });
  after(() => service.stop());

  const onDay = (days: number) => new Date(created.getTime() + days * dayMs);

  /** A code that was created in 2025. */
  async function makeCode(fields: object = {}): Promise<string> {
    service.setNow(created);
    const { id } = await createCode(apiClient(service.url, await service.makeKey()), fields);
    service.setNow(undefined);
    return id;
  }

  /** Records and renews as the worker does. */
  async function record(...rows: ScanRow[]): Promise<void> {
    const { dueCodes } = await createScanRecorder(service.db, lifetimeDays)(rows);
    await renew(rows, dueCodes);
  }

  const scan = (id: string, days: number) => scanRow(id, onDay(days).toISOString());
  const read = (id: string) => QrCode.query(service.db).findById(id).throwIfNotFound();
  const endOf = async (id: string) => (await read(id)).expiresAt;

  it('gives a code another lifetime from a scan in the second half of its life, and not from one before it', async () => {
    const id = await makeCode();
    await record(scan(id, 182.4));
    expect(await endOf(id)).to.deep.equal(onDay(365));
    await record(scan(id, 182.5));
    expect(await endOf(id)).to.deep.equal(onDay(182.5 + 365));
    await record(scan(id, 300));
    expect(await endOf(id)).to.deep.equal(onDay(182.5 + 365));
  });

  it('renews nothing twice when scans are delivered again, early or late', async () => {
    const id = await makeCode();
    const first = scan(id, 200);
    await record(first);
    const { expiresAt, updatedAt } = await read(id);
    await record(first, first);
    expect(await endOf(id))
      .to.deep.equal(expiresAt)
      .and.deep.equal(onDay(565));
    expect(updatedAt).to.deep.equal(created);
    await record(scan(id, 400));
    await record(first);
    expect(await endOf(id)).to.deep.equal(onDay(765));
  });

  it('completes a renewal when the scan was recorded before the process ended', async () => {
    const id = await makeCode();
    const first = scan(id, 200);
    await createScanRecorder(service.db, lifetimeDays)([first]);
    expect(await endOf(id)).to.deep.equal(onDay(365));
    await record(first);
    expect(await endOf(id)).to.deep.equal(onDay(565));
  });

  it('takes the latest of many scans, and leaves other codes of the batch alone', async () => {
    const [id, young] = [await makeCode(), await makeCode()];
    await record(scan(id, 210), scan(young, 20), scan(id, 250), scan(id, 230));
    expect(await endOf(id)).to.deep.equal(onDay(615));
    expect(await endOf(young)).to.deep.equal(onDay(365));
  });

  it('never moves an end that the owner chose, nor asks for it again', async () => {
    const chosen = await makeCode({ expiresAt: onDay(365).toISOString() });
    await record(scan(chosen, 300), scan(chosen, 364));
    expect(await endOf(chosen)).to.deep.equal(onDay(365));
    const { dueCodes } = await createScanRecorder(service.db, lifetimeDays)([scan(chosen, 364.5)]);
    expect(dueCodes).to.equal(undefined);
  });

  it('does not renew a code that the previous release gave another end', async () => {
    const id = await makeCode();
    await service
      .db('qr_codes')
      .where({ id })
      .update({ expires_at: onDay(400) });
    await record(scan(id, 390));
    expect(await endOf(id)).to.deep.equal(onDay(400));
  });

  it('renews codes of older releases that end when the API or the form had suggested, and only those', async () => {
    const ends = { api: onDay(365), form: new Date('2026-03-02T00:00:00.000Z'), chosen: onDay(366) };
    for (const [name, end] of Object.entries(ends)) {
      const id = await makeCode();
      await service.db('qr_codes').where({ id }).update({ expires_at: end, default_expires_at: null });
      const isDefault = name !== 'chosen';
      expect(hasDefaultEnd(await read(id), lifetimeDays), name).to.equal(isDefault);
      await record(scan(id, 300));
      const code = await read(id);
      expect(code.expiresAt, name).to.deep.equal(isDefault ? onDay(665) : end);
      expect(hasDefaultEnd(code, 100), `${name}, after another lifetime was set`).to.equal(isDefault);
    }
  });

  it('records the scan of a code that is being edited at once, and renews it with a later scan of any code', async () => {
    const [id, other] = [await makeCode(), await makeCode()];
    const lock = await lockCode(service.db, id);
    await record(scan(id, 200));
    expect((await countersOf(service.db, id))['total']).to.deep.equal({ '': 1 });
    await lock.release();
    expect(await endOf(id)).to.deep.equal(onDay(365));
    await record(scan(other, 1));
    expect(await endOf(id)).to.deep.equal(onDay(365));
    elapsedMs += 1_000;
    await record(scan(other, 2));
    expect(await endOf(id)).to.deep.equal(onDay(565));
  });

  it('does not try a deleted code again', async () => {
    const id = await makeCode();
    await service.db('qr_codes').where({ id }).delete();
    expect(await renewCodes(service.db, new Map([[id, onDay(200)]]), lifetimeDays)).to.deep.equal([]);
  });
});
