import { expect } from 'chai';
import * as fc from 'fast-check';
import { prove } from '../../../src/codes/proof/prove.ts';
import { fuzzSeed } from '../../support/fuzz-seed.ts';
import { designedPictures, failuresOf } from './random-designs.ts';

/** Each accepted design is read by both readers from the PNG, at every size that its proof names or exceeds. */
export function describeRandomDesigns(count: number, timeoutMs: number): void {
  describe(`${count} random designs`, () => {
    it('are read after blur, rotation, pale print and a dirty spot if they were accepted', async function () {
      this.timeout(timeoutMs);
      const unread: string[] = [];
      const accepted = { plain: 0, withLogo: 0 };
      for (const picture of fc.sample(designedPictures, { numRuns: count, seed: fuzzSeed })) {
        const proof = await prove(picture);
        if (proof.readsAtMm === null) continue;
        accepted[picture.logo ? 'withLogo' : 'plain'] += 1;
        const failures = await failuresOf(picture, proof);
        if (failures.length > 0) unread.push(`${failures.join('; ')}: ${JSON.stringify(picture)}`);
      }
      expect(unread).to.deep.equal([]);
      // Otherwise the test would show nothing.
      expect(accepted.plain + accepted.withLogo).to.be.above(count / 2);
      if (count >= 20) expect(accepted.withLogo).to.be.above(count / 10);
    });
  });
}
