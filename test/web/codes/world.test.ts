import { expect } from 'chai';
import { world } from '../../../src/web/codes/detail/world.ts';
import { drawWorld } from './draw-world.ts';

describe('The world map', () => {
  it('is what test/web/codes/write-world.ts draws', () => {
    expect(drawWorld()).to.deep.equal(world);
  });
});
