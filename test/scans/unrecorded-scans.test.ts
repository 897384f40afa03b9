import { expect } from 'chai';
import { saveDeadLetter } from '../../src/scans/dead-letters.ts';
import { Scan } from '../../src/scans/scan.ts';
import { findUnrecordedScans } from '../../src/scans/unrecorded-scans.ts';
import { apiClient } from '../support/api-client.ts';
import { scanRow } from '../support/scan-rows.ts';
import { startService, type TestService } from '../support/service.ts';
import { createCode } from '../support/share.ts';

describe('Unrecorded scans', () => {
  let service: TestService;

  before(async () => {
    service = await startService();
  });
  after(() => service.stop());

  it('are those of existing codes that are neither recorded nor dead, and could still be recorded', async () => {
    const { db } = service;
    const api = apiClient(service.url, await service.makeKey());
    const code = await createCode(api);
    const deletedCode = await createCode(api);
    await api(`/qrcodes/${deletedCode.id}?permanently=true`, { method: 'DELETE' });
    const now = new Date().toISOString();
    const recorded = scanRow(code.id, now);
    const lost = scanRow(code.id, now);
    const dead = scanRow(code.id, now);
    const expired = scanRow(code.id, '2020-05-05T05:05:05.000Z');
    const atHorizon = scanRow(code.id, '2020-06-01T00:00:00.000Z');
    const ofDeleted = scanRow(deletedCode.id, now);
    await Scan.record(db, [recorded]);
    await saveDeadLetter(db, { scanId: dead.id, job: '{}', reason: 'test' });
    const all = [recorded, lost, dead, expired, atHorizon, ofDeleted];
    expect(await findUnrecordedScans(db, all)).to.have.members([lost.id, expired.id, atHorizon.id]);
    await db('scan_horizon').insert({ kept_from: new Date('2020-06-01T00:00:00Z') });
    expect(await findUnrecordedScans(db, all)).to.have.members([lost.id, atHorizon.id]);
    const invalid = [
      { id: 'none', qrCodeId: code.id },
      { id: lost.id, qrCodeId: 'none' },
    ];
    expect(await findUnrecordedScans(db, [...invalid, lost])).to.deep.equal([lost.id]);
    expect(await findUnrecordedScans(db, invalid)).to.deep.equal([]);
  });

  it('of another code with the same id are told apart', async () => {
    const api = apiClient(service.url, await service.makeKey());
    const [one, other] = [await createCode(api), await createCode(api)];
    const row = scanRow(one.id, new Date().toISOString());
    await Scan.record(service.db, [row]);
    expect(await findUnrecordedScans(service.db, [row, { ...row, qrCodeId: other.id }])).to.deep.equal([
      row.id,
    ]);
  });

  it('are none when all of many codes are recorded, also if one is given twice', async () => {
    const api = apiClient(service.url, await service.makeKey());
    const codes = [await createCode(api), await createCode(api), await createCode(api)];
    const times = Array.from({ length: 50 }, (_, minutes) => new Date(Date.now() - minutes * 60_000));
    const rows = times.flatMap((time) => codes.map(({ id }) => scanRow(id, time.toISOString())));
    await Scan.record(service.db, rows);
    expect(await findUnrecordedScans(service.db, rows)).to.deep.equal([]);
    expect(await findUnrecordedScans(service.db, [...rows, ...rows.slice(0, 7)])).to.deep.equal([]);
    const { id } = rows[80] ?? scanRow('', '');
    await service.db('scans').where({ id }).delete();
    expect(await findUnrecordedScans(service.db, rows)).to.deep.equal([id]);
  });
});
