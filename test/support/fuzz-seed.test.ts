import { readdir, readFile } from 'node:fs/promises';
import { expect } from 'chai';
import * as fc from 'fast-check';
import { fuzzSeed } from './fuzz-seed.ts';

const tests = new URL('../', import.meta.url);

describe('Random tests', () => {
  it('start from the seed of the run, so that each run has the same values', () => {
    expect(fc.readConfigureGlobal().seed).to.equal(fuzzSeed);
    if (!process.env['FUZZ_SEED']) expect(fuzzSeed).to.equal(1);
  });

  it('have no other source of chance than a seed that is printed', async () => {
    const files = (await readdir(tests, { recursive: true })).filter((name) => /\.(?:ts|mjs)$/.test(name));
    const sources = await Promise.all(
      files.map(async (name) => ({ name, text: await readFile(new URL(name, tests), 'utf8') })),
    );
    const found = sources.filter(({ text }) => /\bMath\.random\(|\brandomInt\(/.test(text));
    expect(found.map(({ name }) => name)).to.have.members(['support/fuzz-seed.ts', 'soak/run.ts']);
  });
});
