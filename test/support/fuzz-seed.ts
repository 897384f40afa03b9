import { randomInt } from 'node:crypto';
import { configureGlobal } from 'fast-check';

/**
 * Where every random test starts from. The same each time unless FUZZ_SEED is a number, to repeat a run, or `random`,
 * to look for new cases; a failure names the seed.
 */
export const fuzzSeed = readSeed(process.env['FUZZ_SEED']);

configureGlobal({ seed: fuzzSeed });

function readSeed(given: string | undefined): number {
  if (!given) return 1;
  if (given === 'random') return randomInt(2 ** 31);
  const seed = Number(given);
  // fast-check's seeds are 32-bit integers, and so may be negative.
  if (!Number.isInteger(seed)) throw new Error('FUZZ_SEED must be a whole number or "random".');
  return seed;
}
