import { mkdir, mkdtemp, rename, rm, symlink, unlink, writeFile } from 'node:fs/promises';
import { execFile } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { unknownPlace } from '../../src/scans/geo-database.ts';
import { createLog } from '../../src/telemetry/log.ts';
import { openGeoDatabase, openPlaces, type Places } from '../../workers/places.ts';
import { eventually } from '../support/eventually.ts';
import { mmdbFile } from '../support/mmdb.ts';

const address = '81.2.69.142';
const pollMs = 20;

/** Large enough that it is not written in one go. */
function databaseOf(city: string, madeAt = new Date('2026-11-01T00:00:00Z')): Buffer {
  const others = Array.from(
    { length: 256 },
    (_, index) => [`10.${index}.0.0/16`, { country: 'NO', city: `${city} ${'x'.repeat(2_000)}` }] as const,
  );
  return mmdbFile([['81.2.69.0/24', { country: 'GB', city }], ...others], { madeAt });
}

describe('Places of a worker with GEO_DATABASE', () => {
  let folder: string;
  let file: string;
  let places: Places;
  let lines: { level: number; msg: string; reason?: string }[];
  const log = createLog('test', 'info', {
    write: (line: string) => {
      lines.push(JSON.parse(line) as (typeof lines)[number]);
    },
  });

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'qrelay-places-'));
    file = join(folder, 'city.mmdb');
    lines = [];
  });
  afterEach(async () => {
    places?.close();
    await rm(folder, { recursive: true });
  });

  const city = () => places.find(address).city;
  const warnings = () => lines.filter(({ level }) => level >= 40);
  const loads = () => lines.filter(({ msg }) => msg === 'GEO_DATABASE has changed and is loaded').length;
  const openFile = async (): Promise<boolean> => {
    places = await openGeoDatabase(file, log, pollMs);
    return false;
  };
  /** Every lookup meanwhile must find the old or the new place. */
  async function findsNext(next: string, previous: string): Promise<void> {
    await eventually(() => {
      expect(city()).to.be.oneOf([previous, next]);
      expect(city()).to.equal(next);
    });
  }

  it('follow a file that is replaced by a rename, as geoipupdate does', async () => {
    await writeFile(file, databaseOf('Old'));
    await openFile();
    expect(city()).to.equal('Old');
    expect(places.madeAt()).to.deep.equal(new Date('2026-11-01T00:00:00Z'));
    await writeFile(`${file}.temporary`, databaseOf('New', new Date('2026-11-08T00:00:00Z')));
    await rename(`${file}.temporary`, file);
    await findsNext('New', 'Old');
    expect(places.madeAt()).to.deep.equal(new Date('2026-11-08T00:00:00Z'));
    expect(warnings()).to.deep.equal([]);
  });

  it('follow a file that is rewritten in place', async () => {
    await writeFile(file, databaseOf('Old'));
    await openFile();
    await writeFile(file, databaseOf('New'));
    await findsNext('New', 'Old');
    await writeFile(file, databaseOf('Newer'));
    await findsNext('Newer', 'New');
  });

  it('follow a folder behind a symbolic link that is swapped, as in a volume of Kubernetes', async () => {
    for (const version of ['Old', 'New']) {
      await mkdir(join(folder, version));
      await writeFile(join(folder, version, 'city.mmdb'), databaseOf(version));
    }
    await symlink('Old', join(folder, '..data'));
    await symlink(join('..data', 'city.mmdb'), file);
    await openFile();
    expect(city()).to.equal('Old');
    await symlink('New', join(folder, '..data_tmp'));
    await rename(join(folder, '..data_tmp'), join(folder, '..data'));
    await findsNext('New', 'Old');
  });

  it('keep the database while the new file is broken, log it once, and take the next good one', async () => {
    await writeFile(file, databaseOf('Old'));
    await openFile();
    const next = databaseOf('New');
    for (const part of [0.2, 0.5, 0.9]) {
      await writeFile(file, next.subarray(0, Math.floor(next.length * part)));
      await eventually(() => expect(warnings()).to.have.length(1));
      expect(city()).to.equal('Old');
    }
    expect(warnings()[0]?.msg).to.match(
      /^the new GEO_DATABASE cannot be used; the one loaded before stays in use\. \S/,
    );
    expect(warnings()[0]?.reason).to.equal('is not a MaxMind DB file, or incomplete');
    await writeFile(file, next);
    await findsNext('New', 'Old');
    expect(warnings()).to.have.length(1);
    expect(loads()).to.equal(1);
  });

  it('keep the database when the file is removed, and take it when it is back', async () => {
    await writeFile(file, databaseOf('Old'));
    await openFile();
    await unlink(file);
    await eventually(() => expect(warnings().map(({ reason }) => reason)).to.deep.equal(['does not exist']));
    expect(city()).to.equal('Old');
    await writeFile(file, databaseOf('New'));
    await findsNext('New', 'Old');
  });

  it('are unknown where a single record is damaged, which is logged, and the rest is found', async () => {
    const networks = Array.from(
      { length: 4_096 },
      (_, index) =>
        [`${index >> 4}.${(index & 15) << 4}.0.0/12`, { country: 'NO', city: `City ${index}.` }] as const,
    );
    const content = mmdbFile(networks, { ipVersion: 4 });
    for (let index = 2_000; ; index += 1) {
      const damaged = Buffer.from(content);
      // The byte before a string is its type.
      damaged[damaged.indexOf(`City ${index}.`) - 1] = 0;
      await writeFile(file, damaged);
      // Where it is among the records that are looked at, the file is rejected.
      if (await openFile().catch(() => true)) continue;
      expect(places.find(`${index >> 4}.${(index & 15) << 4}.0.1`)).to.deep.equal(unknownPlace);
      expect(places.find('1.16.0.1').city).to.equal('City 17.');
      expect(warnings().map(({ msg }) => msg)).to.deep.equal([
        'GEO_DATABASE is damaged; scans are recorded without a place',
      ]);
      return;
    }
  });

  it('must be there at the start: the error says what to do', async () => {
    for (const [content, reason] of [
      [undefined, 'does not exist'],
      [Buffer.from('half'), 'is empty'],
    ] as const) {
      if (content) await writeFile(file, content);
      const error = await openPlaces(file, log).catch((cause: unknown) => cause);
      expect(error).to.have.property('name', 'SetupError');
      expect((error as Error).message)
        .to.include(`GEO_DATABASE is ${file}, which ${reason}: the worker does not start. `)
        .and.include('Without GEO_DATABASE, the data of geoip-lite is used.');
    }
  });

  it("come from the file alone: geoip-lite's data is not loaded beside it", async () => {
    await writeFile(file, databaseOf('Alone'));
    const script = `
      import { createRequire } from 'node:module';
      import './dist/workers/worker-service.js';
      import { openPlaces } from './dist/workers/places.js';
      import { createLog } from './dist/src/telemetry/log.js';
      const isLoaded = () =>
        Object.keys(createRequire(import.meta.url).cache).some((path) => path.includes('/geoip-lite/'));
      const log = createLog('test', 'silent');
      const own = await openPlaces(process.argv[1], log);
      const found = [own.find('${address}').city, own.source, isLoaded()];
      const bundled = await openPlaces(undefined, log);
      console.log(JSON.stringify([...found, bundled.find('${address}').city, bundled.source, isLoaded()]));`;
    const { stdout } = await promisify(execFile)(
      process.execPath,
      ['--input-type=module', '--eval', script, file],
      { cwd: fileURLToPath(new URL('../../', import.meta.url)) },
    );
    expect(JSON.parse(stdout)).to.deep.equal(['Alone', 'file', false, 'St Albans', 'bundled', true]);
  });

  it('of geoip-lite take memory only while addresses are looked up', async () => {
    const script = `
      import { setTimeout as sleep } from 'node:timers/promises';
      import { bundledPlaces } from './workers/places.ts';
      const megabytes = () => Math.round(process.memoryUsage().arrayBuffers / 2 ** 20);
      const places = bundledPlaces(200);
      const before = megabytes();
      const first = places.find('${address}').city;
      const loaded = megabytes() - before;
      while (megabytes() > before + 20) await sleep(50);
      // Not the same address: its place is remembered.
      console.log(JSON.stringify({ first, loaded: loaded > 100, again: places.find('81.2.69.143').city }));`;
    const { stdout } = await promisify(execFile)(
      process.execPath,
      ['--import', 'tsx', '--input-type=module', '--eval', script],
      { cwd: fileURLToPath(new URL('../../', import.meta.url)) },
    );
    expect(JSON.parse(stdout)).to.deep.equal({ first: 'St Albans', loaded: true, again: 'St Albans' });
  });
});
