import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { readGeoSource } from '../../src/scans/geo-source.ts';
import { stAlbans } from '../support/geo-records.ts';
import { mmdbFile } from '../support/mmdb.ts';

describe('The source of places that pages name', () => {
  let folder: string;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'qrelay-source-'));
  });
  after(() => rm(folder, { recursive: true }));

  async function sourceOf(type: string): Promise<string | undefined> {
    const file = join(folder, 'city.mmdb');
    await writeFile(file, mmdbFile([['81.2.69.0/24', stAlbans.dbip as never]], { type }));
    return (await readGeoSource(file))?.url;
  }

  it('is that of the database in use, where its license asks for it', async () => {
    expect(await readGeoSource(undefined)).to.deep.equal({
      text: 'Places by GeoLite2 data created by MaxMind',
      url: 'https://www.maxmind.com',
    });
    expect(await sourceOf('GeoLite2-City')).to.equal('https://www.maxmind.com');
    expect(await sourceOf('DBIP-City-Lite')).to.equal('https://db-ip.com');
    expect(await sourceOf('ipinfo standard_location_v2.mmdb with a long name')).to.equal('https://ipinfo.io');
    expect(await sourceOf('GeoIP2-City')).to.equal(undefined);
    expect(await sourceOf('')).to.equal(undefined);
  });

  it('is unknown for a file that is none, and an error for one that cannot be read', async () => {
    const file = join(folder, 'none.mmdb');
    for (const content of ['', 'database_type', 'no database']) {
      await writeFile(file, content);
      expect(await readGeoSource(file)).to.equal(undefined);
    }
    const error = await readGeoSource(join(folder, 'nowhere')).catch((cause: unknown) => cause);
    expect(error).to.have.property('code', 'ENOENT');
  });
});
