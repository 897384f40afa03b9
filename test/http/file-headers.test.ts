import { expect } from 'chai';
import { parseRange } from '../../src/http/file-headers.ts';

describe('The Range header (RFC 9110)', () => {
  for (const [header, expected] of [
    [undefined, undefined],
    ['bytes=0-0', { start: 0, end: 0 }],
    ['bytes=10-19', { start: 10, end: 19 }],
    ['BYTES=10-', { start: 10, end: 99 }],
    ['bytes=90-1000', { start: 90, end: 99 }],
    ['bytes=-10', { start: 90, end: 99 }],
    ['bytes=-1000', { start: 0, end: 99 }],
    ['bytes=100-', 'unsatisfiable'],
    ['bytes=100-200', 'unsatisfiable'],
    ['bytes=-0', 'unsatisfiable'],
    ['bytes=20-10', undefined],
    ['bytes=-', undefined],
    ['bytes=0-1,5-6', undefined],
    ['items=0-1', undefined],
    ['bytes=0x10-20', undefined],
    [`bytes=${'9'.repeat(400)}-`, undefined],
  ] as const)
    it(`${header?.slice(0, 30)} of 100 bytes: ${JSON.stringify(expected) ?? 'all'}`, () => {
      expect(parseRange(header, 100)).to.deep.equal(expected);
    });
});
