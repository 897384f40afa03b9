import { expect } from 'chai';
import { validate, version } from 'uuid';
import { newScanId, scannedAtOf } from '../../src/scans/scan-id.ts';

describe("A scan's id (decisions: Identifiers and keys)", () => {
  it('is a UUIDv7, each another one', () => {
    const ids = Array.from({ length: 50_000 }, (_, index) => newScanId(1_794_706_830_343 + (index % 7)));
    expect(ids.every((id) => validate(id) && version(id) === 7)).to.equal(true);
    expect(new Set(ids).size).to.equal(ids.length);
  });

  it('carries the millisecond of the scan, so that id order is time order', () => {
    const moments = [
      0,
      1,
      999,
      Date.UTC(2026, 10, 15, 1, 2, 3, 4),
      Date.UTC(2026, 10, 15, 1, 2, 3, 5),
      Date.UTC(9999, 0),
    ];
    const ids = moments.map(newScanId);
    expect(ids.map((id) => scannedAtOf(id).getTime())).to.deep.equal(moments);
    expect(ids.toSorted()).to.deep.equal(ids);
  });

  it('is random in every place but for time, version and variant', () => {
    const ids = Array.from({ length: 5_000 }, () => newScanId(0));
    const valuesAt = (place: number) => new Set(ids.map((id) => id[place])).size;
    const places = [...'xxxxxxxx-xxxx-7rrr-vrrr-rrrrrrrrrrrr'];
    const expected: Record<string, number> = { r: 16, v: 4 };
    expect(places.map((_, place) => valuesAt(place))).to.deep.equal(
      places.map((kind) => expected[kind] ?? 1),
    );
  });
});
