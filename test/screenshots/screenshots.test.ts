// Inputs: src, workers, migrations, docs/images
import { readFile, stat } from 'node:fs/promises';
import { expect } from 'chai';
import { appearance } from './appearance.ts';
import { type DemoSite, startDemoSite } from './demo-site.ts';
import { digestsFile, folder, pictures } from './pictures.ts';

const remedy =
  'docs/images shows this page as it was before. Run `npm run screenshots` and look at the pictures.';

describe('The screenshots in docs/images', () => {
  let site: DemoSite;
  before(async () => {
    site = await startDemoSite();
  });
  after(() => site?.stop());

  for (const { name, path } of pictures)
    it(`show the page "${name}" as it is now`, async () => {
      const taken = JSON.parse(await readFile(digestsFile, 'utf8')) as Record<string, string>;
      expect(await appearance(site, path(site)), remedy).to.equal(taken[name]);
    });

  it('are there, light and dark, and small', async () => {
    for (const { name } of pictures)
      for (const scheme of ['light', 'dark'])
        expect((await stat(new URL(`${name}-${scheme}.png`, folder))).size, name).to.be.within(
          5_000,
          120_000,
        );
  });
});
