import { expect } from 'chai';
import { Type } from '../../src/schema.ts';
import { readQuery } from '../../src/codes/validation.ts';

const schema = Type.Object({ limit: Type.Integer(), favorite: Type.Boolean(), q: Type.String() });

describe('readQuery', () => {
  it('converts each parameter by its type, and one that is sent twice to a list', () => {
    expect(readQuery(schema, 'limit=5&favorite=true&q=5&x=1&x=2')).to.deep.equal({
      limit: 5,
      favorite: true,
      q: '5',
      x: ['1', '2'],
    });
  });
});
