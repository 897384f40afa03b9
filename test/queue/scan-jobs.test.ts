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

  it('unpacks to the scans that were packed', () => {
    expect(unpackScans(JSON.parse(JSON.stringify(packScans(scans, key))), key)).to.deep.equal(scans);
  });

  it('is read as earlier releases wrote it, in the queue and in spool files', () => {
    const stored =
      '{"scans":[["a","c","curl/8"],["b","c",""],["d","e","ü"]],"sealedAddresses":"dIGpuIo1qYL+////ERsRhQeDrL7CiCkKgqfHKtxVPov0dDFr0ZVywh5TpcxKYkw9vjWGUag="}';
    expect(unpackScans(JSON.parse(stored), Buffer.alloc(32, 7))).to.deep.equal(scans);
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
