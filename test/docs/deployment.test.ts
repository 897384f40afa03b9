import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { limitDefinitions, limitNames } from '../../src/limits.ts';
import { knownVariables } from '../deploy/files.ts';
import { anchorsIn, linksIn, proseOf, readText, root } from './documents.ts';

describe('docs/deployment/', () => {
  const pages = ['single-vm', 'compose', 'kubernetes', 'heroku'].map((name) => `docs/deployment/${name}.md`);

  it('has a page for each way to deploy, which docs/deployment.md links to, with the same sections', () => {
    for (const page of pages) {
      expect(linksIn('docs/deployment.md')).to.include(page.replace('docs/', ''));
      const sections = anchorsIn(page).filter((anchor) => anchor !== 'the-image');
      expect(sections.slice(1), page).to.deep.equal([
        'install',
        'check',
        'upgrade',
        'back-up',
        'scale',
        'watch',
        'if-something-goes-wrong',
      ]);
    }
  });

  it('copies files of a release that exist', () => {
    const copied = [...readText('docs/deployment/single-vm.md').matchAll(/\/opt\/qrelay\/([\w./*-]+)/g)];
    expect(copied).to.have.length.above(5);
    for (const [, file = ''] of copied)
      expect(existsSync(join(root, file.replace(/\/\*.*/, ''))), file).to.equal(true);
  });

  it('sets only variables that are read', () => {
    const read = knownVariables();
    for (const page of pages) {
      const set = [...readText(page).matchAll(/(?:--from-literal=| )([A-Z_]+)=/g)].map(
        ([, name = '']) => name,
      );
      // The driver of PostgreSQL reads it.
      for (const name of set.filter((one) => one !== 'PGSSLMODE'))
        expect(read.has(name) || readText(page).includes(`$${name}`), `${page}: ${name}`).to.equal(true);
    }
  });
});

describe('docs/deployment/configuration.md', () => {
  it('describes every environment variable that is read, and no other', () => {
    const described = [...proseOf('docs/deployment/configuration.md').matchAll(/^\| `([A-Z_]+)` +\|/gm)].map(
      ([, name]) => name,
    );
    expect(described).to.have.members([...knownVariables()]);
  });

  it('lists every limit of an account with its defaults and bounds', () => {
    const rows = [
      ...proseOf('docs/deployment/configuration.md').matchAll(
        /^\| `(\w+)` +\| ([\d,]+) +\| ([\d,]+) +\| (\S+) +\|/gm,
      ),
    ].map((row) => row.slice(1));
    const figure = (value: number) => value.toLocaleString('en');
    const expected = limitNames.map((name) => {
      const { free, pro, least, most } = limitDefinitions[name];
      return [name, figure(free), figure(pro), `${least}–${figure(most)}`];
    });
    expect(rows).to.deep.equal(expected);
  });
});
