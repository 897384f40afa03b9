import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';

/** May be part of a service that anybody runs and changes, for nothing but a notice. */
const forTheService = [
  'MIT',
  // MIT without the duty to keep the notice.
  'MIT-0',
  'ISC',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'Apache-2.0',
  '0BSD',
  'BlueOak-1.0.0',
  'Unlicense',
  // Of fonts. They may be embedded in documents; only a changed font must not have the same name.
  'OFL-1.1',
];
/** May be used to build and test: nothing of it is in what runs. */
const forItsMaking = [...forTheService, 'MPL-2.0', 'PSF-2.0', 'Python-2.0', 'Zlib', 'CC0-1.0'];

interface Entry {
  version: string;
  license?: string;
  integrity?: string;
  dev?: boolean;
  devOptional?: boolean;
  optional?: boolean;
  hasInstallScript?: boolean;
}

const root = fileURLToPath(new URL('../', import.meta.url));
const readJson = (path: string) => JSON.parse(readFileSync(`${root}${path}`, 'utf8')) as unknown;
const { packages } = readJson('package-lock.json') as { packages: Record<string, Entry> };
const entries = Object.entries(packages).filter(([path]) => path !== '');

/** `(MIT OR Apache-2.0)`: one of them will do. `(MIT AND Zlib)`: both are needed. */
function isAllowed(expression: string, allowed: string[]): boolean {
  const bare = expression.replace(/[()]/g, '');
  if (bare.includes(' OR ')) return bare.split(' OR ').some((part) => isAllowed(part, allowed));
  return bare.split(' AND ').every((part) => allowed.includes(part));
}

/** What the package itself says, where it is installed; else what the lockfile wrote down of it. */
function licenceOf(path: string, { license }: Entry): string | undefined {
  if (!existsSync(`${root}${path}/package.json`)) return license;
  const own = readJson(`${path}/package.json`) as { license?: string | { type: string } };
  return typeof own.license === 'object' ? own.license.type : (own.license ?? license);
}

describe('What the service is made of', () => {
  it(`has only licences that are on the list (${entries.length} packages)`, () => {
    const errors = entries.flatMap(([path, entry]) => {
      const licence = licenceOf(path, entry);
      const allowed = entry.dev ? forItsMaking : forTheService;
      if (licence !== undefined) return isAllowed(licence, allowed) ? [] : [`${path}: ${licence}`];
      return isBuildForElsewhere(path, entry) ? [] : [`${path}: none`];
    });
    expect(errors).to.deep.equal([]);
  });

  it('would notice a licence that is not on the list', () => {
    for (const bad of ['GPL-3.0', '(GPL-2.0 AND MIT)', 'UNLICENSED', 'SEE LICENSE IN LICENSE', 'BUSL-1.1'])
      expect(isAllowed(bad, forItsMaking), bad).to.equal(false);
    expect(isAllowed('(GPL-2.0 OR MIT)', forTheService)).to.equal(true);
    expect(isAllowed('MPL-2.0', forTheService)).to.equal(false);
  });

  it('is fixed to the byte: every package has a checksum, but for builds of other platforms', () => {
    const bare = entries.filter(([path, entry]) => !entry.integrity && !isBuildForElsewhere(path, entry));
    expect(bare.map(([path]) => path)).to.deep.equal([]);
  });

  /** A compiled part of a package that is listed, for a platform whose build could not be had when the lockfile was made. */
  function isBuildForElsewhere(path: string, { optional, integrity }: Entry): boolean {
    const scope = /^.*node_modules\/@[^/]+\//.exec(path)?.[0];
    const hasRelative = entries.some(([other, entry]) => scope && other.startsWith(scope) && entry.license);
    return optional === true && integrity === undefined && !existsSync(`${root}${path}`) && hasRelative;
  }
});
