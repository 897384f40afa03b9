import * as fc from 'fast-check';
import { prove } from './src/codes/proof/prove.ts';
import { fuzzSeed } from './test/support/fuzz-seed.ts';
import { designedPictures, failuresOf } from './test/codes/proof/random-designs.ts';
const a = { plain: [0, 0, 0], logo: [0, 0, 0] };
for (const picture of fc.sample(designedPictures, { numRuns: Number(process.argv[2]), seed: fuzzSeed })) {
  const k = picture.logo ? 'logo' : 'plain'; a[k][0]++;
  const proof = await prove(picture);
  if (proof.readsAtMm === null) continue;
  a[k][1]++;
  const failures = await failuresOf(picture, proof);
  if (failures.length) { a[k][2]++; console.log(k, failures.join('; '), JSON.stringify({ ...picture, logo: undefined })); }
}
console.log(JSON.stringify(a));
