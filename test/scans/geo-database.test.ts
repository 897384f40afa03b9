import { randomUUID } from 'node:crypto';
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect } from 'chai';
import * as fc from 'fast-check';
import {
  type GeoDatabaseError,
  type Place,
  readGeoDatabase,
  readPlace,
  unknownPlace,
} from '../../src/scans/geo-database.ts';
import { stAlbans } from '../support/geo-records.ts';
import { mmdbFile } from '../support/mmdb.ts';

const place = { country: 'GB', region: 'England', city: 'St Albans', latitude: 51.75, longitude: -0.33 };

describe('A database of places (GEO_DATABASE)', () => {
  let folder: string;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'qrelay-geo-'));
  });
  after(() => rm(folder, { recursive: true }));

  async function fileWith(content: Buffer | string): Promise<string> {
    const file = join(folder, `${randomUUID()}.mmdb`);
    await writeFile(file, content);
    return file;
  }
  async function reasonFor(file: string): Promise<string> {
    const error = await readGeoDatabase(file).catch((reason: unknown) => reason);
    expect(error).to.have.property('name', 'GeoDatabaseError');
    const { message, remedy } = error as GeoDatabaseError;
    expect(remedy).to.match(/\.$/);
    return message;
  }

  const formats: [string, keyof typeof stAlbans, Place][] = [
    ['GeoLite2-City', 'maxmind', { ...place, region: 'ENG' }],
    ['DBIP-City-Lite', 'dbip', place],
    ['ipinfo standard_location.mmdb', 'ipinfo', place],
  ];
  for (const [type, format, expected] of formats) {
    for (const recordSize of [24, 28, 32] as const) {
      it(`finds addresses in ${type}, with records of ${recordSize} bits`, async () => {
        const madeAt = new Date('2026-11-01T12:00:00Z');
        const networks = [
          ['81.2.69.0/24', stAlbans[format]],
          ['2001:db8:7::/48', stAlbans[format]],
        ] as never;
        const database = await readGeoDatabase(
          await fileWith(mmdbFile(networks, { type, madeAt, recordSize })),
        );
        expect(database).to.include({ type, hasCities: true });
        expect(database.madeAt).to.deep.equal(madeAt);
        for (const address of ['81.2.69.0', '81.2.69.142', '2001:db8:7::1', '2001:db8:7:ffff::'])
          expect(database.find(address), address).to.deep.equal(expected);
        for (const address of [
          '81.2.70.0',
          '10.0.0.1',
          '2001:db8:8::1',
          '::1',
          '',
          'x',
          '999.1.1.1',
          '81.2.69',
        ])
          expect(database.find(address), address).to.deep.equal(unknownPlace);
      });
    }
  }

  it('finds no IPv6 address in a database of IPv4', async () => {
    // The first 24 bits of both are the same.
    const content = mmdbFile([['32.1.13.0/24', stAlbans.dbip as never]], { ipVersion: 4 });
    const database = await readGeoDatabase(await fileWith(content));
    expect(database.hasIpv6).to.equal(false);
    expect(database.find('32.1.13.184').city).to.equal('St Albans');
    expect(database.find('2001:db8::1')).to.deep.equal(unknownPlace);
  });

  it('reads the fields of other flat formats', () => {
    expect(
      readPlace({
        country: 'Germany',
        country_code: 'DE',
        region: 'Bayern',
        region_code: 'BY',
        city: 'Passau',
      }),
    ).to.include({ country: 'DE', region: 'BY', city: 'Passau' });
    expect(
      readPlace({ country_code: 'FR', state1: 'Bretagne', latitude: 48, longitude: -2.5 }),
    ).to.deep.equal({
      country: 'FR',
      region: 'Bretagne',
      city: null,
      latitude: 48,
      longitude: -2.5,
    });
  });

  it('takes what is missing, too long or out of range for unknown, and never fails', () => {
    for (const nothing of [
      null,
      undefined,
      7,
      'GB',
      [],
      {},
      { country: null, location: 3, subdivisions: {} },
    ])
      expect(readPlace(nothing)).to.deep.equal(unknownPlace);
    for (const country of ['gb', 'GBR', '', 'G', 'G\0', '**', 7]) {
      expect(readPlace({ country }).country).to.equal('ZZ');
      expect(readPlace({ country: { iso_code: country } }).country).to.equal('ZZ');
    }
    for (const [lat, lng] of [
      ['91', '0'],
      ['0', '-180.1'],
      ['', ''],
      ['x', '1'],
      [Number.NaN, 1],
      [Infinity, 1],
      ['1'.repeat(33), 0],
      [1, undefined],
      [undefined, 1],
      [[1], [2]],
    ])
      expect(readPlace({ lat, lng })).to.include({ latitude: null, longitude: null });
    expect(readPlace({ lat: Math.fround(51.7531), lng: '-0.3256' })).to.include({
      latitude: 51.7531,
      longitude: -0.3256,
    });
    expect(readPlace({ city: 'x'.repeat(1_000) }).city).to.equal('x'.repeat(64));
    expect(readPlace({ city: `${'x'.repeat(63)}😀` }).city).to.equal('x'.repeat(63));
    expect(readPlace({ city: ' A\0B\nC ', region: '|' })).to.include({ city: 'A B C', region: null });
  });

  it('gives bounded values that PostgreSQL accepts for any record', () => {
    const leaf = fc.oneof(fc.string({ unit: 'binary', maxLength: 200 }), fc.double(), fc.constant('DE'));
    const record = fc.dictionary(
      fc.constantFrom(...Object.keys(stAlbans.maxmind), ...Object.keys(stAlbans.ipinfo), 'region_code'),
      fc.oneof(
        leaf,
        fc.dictionary(
          fc.constantFrom('iso_code', 'latitude', 'longitude', 'names'),
          fc.oneof(leaf, fc.record({ en: leaf })),
        ),
        fc.array(fc.record({ iso_code: leaf, names: fc.record({ en: leaf }) }), { maxLength: 2 }),
      ),
    );
    fc.assert(
      fc.property(record, (fields) => {
        const { country, region, city, latitude, longitude } = readPlace(fields);
        expect(country).to.match(/^[A-Z]{2}$/);
        for (const name of [region, city]) {
          if (name !== null) expect(name).to.match(/^[^\p{Cc}|]{1,64}$/u);
          expect(name?.length ?? 1).to.be.within(1, 64);
        }
        expect(latitude === null).to.equal(longitude === null);
        expect(Math.abs(latitude ?? 0)).to.be.at.most(90);
        expect(Math.abs(longitude ?? 0)).to.be.at.most(180);
      }),
    );
  });

  it('finds in a file what was written to it, for any networks', async () => {
    const byte = fc.nat(255);
    const network = fc.tuple(byte, byte, byte, fc.integer({ min: 8, max: 32 }));
    await fc.assert(
      fc.asyncProperty(
        fc.array(network, { minLength: 1, maxLength: 30 }),
        fc.constantFrom(24, 28, 32),
        fc.constantFrom(4, 6),
        async (networks, recordSize, ipVersion) => {
          const entries = networks.map(([a, b, c, length], index) => {
            const first =
              (a * 2 ** 24 + b * 2 ** 16 + c * 2 ** 8) & (length === 32 ? -1 : -(2 ** (32 - length)));
            return { first: first >>> 0, length, record: { country: 'SE', city: `City ${index}` } };
          });
          const content = mmdbFile(
            entries.map(({ first, length, record }) => [`${dotted(first)}/${length}`, record]),
            { recordSize: recordSize as 24, ipVersion: ipVersion as 4 },
          );
          const database = await readGeoDatabase(await fileWith(content));
          for (const { first } of entries) {
            const isInside = (entry: { first: number; length: number }) =>
              first >>> (32 - entry.length) === entry.first >>> (32 - entry.length);
            const last = entries.findLast(isInside);
            expect(database.find(dotted(first)).city).to.equal(last?.record.city);
          }
        },
      ),
      { numRuns: 50 },
    );
  });

  it('rejects what is no database, and says why', async () => {
    const good = mmdbFile([['81.2.69.0/24', stAlbans.maxmind as never]]);
    expect(await reasonFor(join(folder, 'nowhere.mmdb'))).to.equal('does not exist');
    expect(await reasonFor(folder)).to.equal('is not a file');
    await symlink('loop.mmdb', join(folder, 'loop.mmdb'));
    expect(await reasonFor(join(folder, 'loop.mmdb'))).to.equal('cannot be read (ELOOP)');
    expect(await reasonFor(await fileWith(''))).to.equal('is empty');
    expect(await reasonFor(await fileWith(gzipSync(good)))).to.equal('is compressed');
    expect(await reasonFor(await fileWith('<html>Your download limit is reached.</html>'))).to.equal(
      'is not a MaxMind DB file, or incomplete',
    );
    const asn = mmdbFile([['81.2.69.0/24', { autonomous_system_number: 20_712 }]], { type: 'GeoLite2-ASN' });
    expect(await reasonFor(await fileWith(asn))).to.equal('(GeoLite2-ASN) has no countries');
    const country = mmdbFile([['81.2.69.0/24', { country: { iso_code: 'GB' } }]], {
      type: 'GeoLite2-Country',
    });
    expect(await readGeoDatabase(await fileWith(country))).to.include({ hasCities: false });
  });

  it('rejects a file that was written in part, wherever it ends', async () => {
    const good = mmdbFile([
      ['81.2.69.0/24', stAlbans.maxmind as never],
      ['2001:db8::/32', stAlbans.maxmind as never],
    ]);
    for (let length = 0; length < good.length; length += 13)
      await reasonFor(await fileWith(good.subarray(0, length)));
  });

  it('rejects a file whose start is of another version than its end', async () => {
    const networks = Array.from(
      { length: 200 },
      (_, index) => [`${index}.0.0.0/16`, { ...stAlbans.ipinfo, postal_code: 'x'.repeat(index) }] as const,
    );
    const older = mmdbFile(networks.slice(0, 150), { recordSize: 24 });
    const newer = mmdbFile(networks, { recordSize: 28 });
    for (const part of [0.1, 0.3, 0.5, 0.7]) {
      const mixed = Buffer.from(older);
      newer.copy(mixed, 0, 0, Math.floor(older.length * part));
      expect(await reasonFor(await fileWith(mixed)), String(part)).to.match(/^is damaged/);
    }
  });
});

function dotted(address: number): string {
  return [24, 16, 8, 0].map((shift) => (address >>> shift) & 0xff).join('.');
}
