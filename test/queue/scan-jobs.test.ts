import { randomBytes } from 'node:crypto';
import { expect } from 'chai';
import { packScans, unpackScans } from '../../src/queue/scan-jobs.ts';

describe('The scan job', () => {
  const key = randomBytes(32);
  const scans = [
    { id: 'a', codeId: 'c', userAgent: 'curl/8', address: '203.0.113.77' },
    { id: 'b', codeId: 'c', userAgent: '', address: '2001:db8::1' },
    { id: 'd', codeId: 'e', userAgent: 'ü', address: '' },
  ];

  it('gives back what was put in', () => {
    expect(unpackScans(JSON.parse(JSON.stringify(packScans(scans, key))), key)).to.deep.equal(scans);
  });

  it('is read as earlier releases wrote it, into the queue and into spool files', () => {
    const stored =
      '{"scans":[["a","c","curl/8"],["b","c",""],["d","e","ü"]],"sealedAddresses":"dIGpuIo1qYL+////ERsRhQeDrL7CiCkKgqfHKtxVPov0dDFr0ZVywh5TpcxKYkw9vjWGUag="}';
    expect(unpackScans(JSON.parse(stored), Buffer.alloc(32, 7))).to.deep.equal(scans);
  });

  it('does not show an address to whoever reads the queue', () => {
    expect(JSON.stringify(packScans(scans, key)))
      .to.not.contain('203.0.113.77')
      .and.not.contain('2001:db8');
  });

  it('is refused where it was tampered with or sealed with another key', () => {
    const job = packScans(scans, key);
    expect(() => unpackScans(job, randomBytes(32))).to.throw();
    const bytes = Buffer.from(job.sealedAddresses, 'base64');
    bytes[bytes.length - 1]! ^= 1;
    expect(() => unpackScans({ ...job, sealedAddresses: bytes.toString('base64') }, key)).to.throw();
  });
});
