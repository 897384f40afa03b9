import { readdir, readFile } from 'node:fs/promises';
import { expect } from 'chai';

interface Release {
  version: string;
  migrations: number;
  lastMigration: string;
}

describe('Migrations after a release', () => {
  it('have higher numbers than all of that release, which otherwise rejects the new schema', async () => {
    const releases = JSON.parse(
      await readFile(new URL('releases.json', import.meta.url), 'utf8'),
    ) as Release[];
    const names = (await readdir(new URL('../../migrations/', import.meta.url))).map((file) =>
      file.replace(/\.ts$/, ''),
    );
    expect(releases).to.have.length.above(0);
    for (const { version, migrations, lastMigration } of releases) {
      expect(names, version).to.include(lastMigration);
      expect(
        names.filter((name) => name <= lastMigration),
        version,
      ).to.have.length(migrations);
    }
  });
});
