import { expect } from 'chai';
import { assessBackup, type BackupFacts } from '../../src/doctor/backup.ts';
import { assessGaps } from '../../src/doctor/postgres.ts';

const now = Date.parse('2026-05-01T12:00:00Z');
const ago = (minutes: number) => new Date(now - minutes * 60_000);

const good: BackupFacts = {
  bytes: 5_000_000_000,
  isInRecovery: false,
  walLevel: 'replica',
  archiveMode: 'on',
  lastArchivedAt: ago(1),
  lastFailedAt: null,
  isBehind: true,
  receivers: 0,
  canSeeBaseBackups: true,
};

describe('How qrelay backup check assesses the server', () => {
  const assess = (
    changes: Partial<BackupFacts>,
    lastBase: Date | undefined = ago(60),
    isEmbedded = false,
  ) => {
    const findings = assessBackup({ ...good, ...changes }, lastBase, isEmbedded, now);
    for (const { state, remedy } of findings) expect(remedy === undefined).to.equal(state === 'ok');
    return findings.map(({ state, finding }) => `${state}: ${finding}`);
  };

  it('is content with a recent base backup and a WAL file archived a minute ago', () => {
    expect(assess({})).to.deep.equal([
      'ok: The database takes 4.7 GB.',
      'ok: The last WAL file was archived 60 seconds ago.',
      'ok: The last base backup was taken 60 minutes ago.',
    ]);
    // An earlier failure that was repaired.
    expect(assess({ lastFailedAt: ago(5) })[1]).to.match(/^ok: /);
    // Nothing was written since.
    expect(assess({ lastArchivedAt: ago(600), isBehind: false })[1]).to.match(/^ok: /);
  });

  it('warns if nothing is archived, and fails if archiving fails', () => {
    expect(assess({ archiveMode: 'off' })[1]).to.match(
      /^warning: The WAL is not archived \(archive_mode is off/,
    );
    expect(assess({ archiveMode: 'off', receivers: 1 })[1]).to.match(/^ok: .* 1 connected to receive it\.$/);
    expect(assess({ lastArchivedAt: null })[1]).to.equal('warning: No WAL file has been archived yet.');
    expect(assess({ lastArchivedAt: ago(180) })[1]).to.equal(
      'warning: The last WAL file was archived 3 hours ago: what was written since then would be lost.',
    );
    for (const lastArchivedAt of [null, ago(9)])
      expect(assess({ lastArchivedAt, lastFailedAt: ago(3) })[1]).to.equal(
        'failure: The WAL cannot be archived: the last attempt failed 3 minutes ago.',
      );
  });

  it('warns if the last base backup is old, cannot be seen, or does not exist', () => {
    expect(assess({}, ago(9 * 24 * 60))[2]).to.equal('warning: The last base backup was taken 9 days ago.');
    expect(assess({ canSeeBaseBackups: false })[2]).to.match(/^warning: This role may not see/);
    const [, , none] = assessBackup(good, undefined, false, now);
    expect(none?.finding).to.match(
      /^No base backup was taken from this server, or none since it was restored/,
    );
  });

  it('fails while the server is in recovery, and says how to end it', () => {
    const [, recovery] = assessBackup({ ...good, isInRecovery: true }, undefined, false, now);
    expect(recovery?.state).to.equal('failure');
    expect(recovery?.remedy).to.include('SELECT pg_wal_replay_resume()');
  });

  it('says how the embedded database is backed up', () => {
    expect(assess({ archiveMode: 'off' }, undefined, true)).to.deep.equal([
      'ok: The database takes 4.7 GB.',
      'warning: The embedded database has no backup of its own.',
    ]);
  });

  it('fails for months without a partition', () => {
    const month = (number: number) => new Date(Date.UTC(2026, number - 1));
    const partition = (from: number) => ({ name: '', from: month(from), to: month(from + 1) });
    const first = { name: '', from: undefined, to: month(2) };
    expect(assessGaps([first, partition(2), partition(3)])).to.deep.equal([]);
    const [gap] = assessGaps([first, partition(2), partition(5)]);
    expect(gap?.finding).to.equal(
      'Scans from 2026-03-01 to 2026-04-30 have no partition and cannot be recorded.',
    );
  });
});
