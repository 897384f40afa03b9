import { expect } from 'chai';
import { Type } from 'typebox';
import { readQuery } from '../../../src/web/api/query-string.ts';

const schema = Type.Object({ limit: Type.Integer(), favorite: Type.Boolean(), q: Type.String() });

describe('readQuery', () => {
  it('reads each parameter by its type, and one that is sent twice as a list', () => {
    expect(readQuery(schema, 'limit=5&favorite=true&q=5&x=1&x=2')).to.deep.equal({
      limit: 5,
      favorite: true,
      q: '5',
      x: ['1', '2'],
    });
  });

  it('takes linear time: as many names as a request line holds are read in milliseconds', () => {
    const query = Array.from({ length: 4_300 }, (_, index) => index.toString(36)).join('&');
    // The fastest of several, because other work on the machine is no defect.
    const times = Array.from({ length: 10 }, () => {
      const start = performance.now();
      readQuery(schema, query);
      return performance.now() - start;
    });
    expect(Math.min(...times)).to.be.below(20);
  });
});
