import { randomBytes } from 'node:crypto';
import { expect } from 'chai';
import { Type } from 'typebox';
import { Compile } from 'typebox/compile';
import { countScans, packScans, type RawScan, type ScanJob, unpackScans } from '../../src/queue/scan-jobs.ts';
import { newScanId } from '../../src/scans/scan-id.ts';

describe('The scan job', () => {
  const key = randomBytes(32);
  const odd = [
    { id: 'a', codeId: 'c', userAgent: 'curl/8', address: '203.0.113.77' },
    { id: 'b', codeId: 'c', userAgent: '', address: '2001:db8::1' },
    { id: 'd', codeId: 'e', userAgent: 'ü', address: '' },
  ];

  const scans = odd.map((scan) => ({ ...scan, id: newScanId(Date.now()) }));
  const many = Array.from({ length: 500 }, (_, index) => ({
    id: newScanId(Date.now()),
    codeId: `01936f3e-7c1a-7d44-8f0b-2a5c7f0e9b${10 + (index % 5)}`,
    userAgent: `Mozilla/5.0 (iPhone; CPU iPhone OS 18_${index % 7} like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Mobile/15E148 Safari/604.1`,
    address: `203.0.113.${index % 250}`,
  }));
  const stored = (job: ScanJob) => JSON.parse(JSON.stringify(job)) as ScanJob;

  it('unpacks to the scans that were packed', () => {
    for (const batch of [scans, many, []])
      expect(unpackScans(stored(packScans(batch, key)), key)).to.deep.equal(batch);
  });

  it('keeps scans whose id is not a UUID', () => {
    const mixed = [...scans, ...odd];
    expect(unpackScans(stored(packScans(mixed, key)), key)).to.deep.equal(mixed);
  });

  it('takes less than a third of the bytes of a list', () => {
    const list = JSON.stringify(many.map(({ id, codeId, userAgent }) => [id, codeId, userAgent])).length;
    expect(JSON.stringify(packScans(many, key)).length).to.be.below(list / 3);
    expect(countScans(packScans(many, key))).to.equal(many.length);
  });

  it('is read as earlier releases wrote it, in the queue and in spool files', () => {
    const job =
      '{"scans":[["a","c","curl/8"],["b","c",""],["d","e","ü"]],"sealedAddresses":"dIGpuIo1qYL+////ERsRhQeDrL7CiCkKgqfHKtxVPov0dDFr0ZVywh5TpcxKYkw9vjWGUag="}';
    expect(unpackScans(JSON.parse(job), Buffer.alloc(32, 7))).to.deep.equal(odd);
  });

  describe('with scans that are traced', () => {
    const trace = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';
    const traced = (batch: RawScan[]) =>
      batch.map((scan, index) => (index === 1 ? { ...scan, trace } : scan));

    it('keeps the trace of each, packed or listed', () => {
      for (const batch of [scans, odd])
        expect(unpackScans(stored(packScans(traced(batch), key)), key)).to.deep.equal(traced(batch));
    });

    it('has bytes for these only', () => {
      expect(packScans(scans, key)).to.not.have.property('traces');
      const bytes = (batch: RawScan[]) => JSON.stringify(packScans(batch, key)).length;
      expect(bytes(traced(many)) - bytes(many)).to.be.below(80);
    });

    it('is what earlier releases accept, and read without the trace', () => {
      // The contract and the fields as they were before traces were added.
      const earlier = Compile(
        Type.Union([
          Type.Object({
            codes: Type.Array(Type.String()),
            userAgents: Type.Array(Type.String()),
            packedScans: Type.String(),
            sealedAddresses: Type.String(),
          }),
          Type.Object({
            scans: Type.Array(Type.Tuple([Type.String(), Type.String(), Type.String()])),
            sealedAddresses: Type.String(),
          }),
        ]),
      );
      for (const batch of [scans, odd]) {
        const job = stored(packScans(traced(batch), key));
        expect(earlier.Check(job)).to.equal(true);
        const { traces, ...asReadEarlier } = job;
        expect(traces).to.deep.equal([[1, trace]]);
        expect(unpackScans(asReadEarlier, key)).to.deep.equal(batch);
      }
    });

    it('is read even if a trace belongs to no scan', () => {
      const job: ScanJob = {
        ...packScans(scans, key),
        traces: [
          [99, trace],
          [-1, trace],
        ],
      };
      expect(unpackScans(job, key)).to.deep.equal(scans);
    });
  });

  it('shows no client address to people who can read the queue', () => {
    expect(JSON.stringify(packScans(scans, key)))
      .to.not.contain('203.0.113.77')
      .and.not.contain('2001:db8');
  });

  it('is rejected if it was tampered with or encrypted with another key', () => {
    const job = packScans(scans, key);
    expect(() => unpackScans(job, randomBytes(32))).to.throw();
    const bytes = Buffer.from(job.sealedAddresses, 'base64');
    bytes[bytes.length - 1]! ^= 1;
    expect(() => unpackScans({ ...job, sealedAddresses: bytes.toString('base64') }, key)).to.throw();
  });
});
