import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import * as fc from 'fast-check';
import { ourBrand, readBrand, themeOf } from '../src/brand.ts';
import { contrastOf, luminance } from '../src/color.ts';
import { colors } from '../src/theme.ts';

const svg = (attributes: string) =>
  `<svg xmlns="http://www.w3.org/2000/svg" ${attributes}><path d="M0 0"/></svg>`;
const png = (width: number, height: number) => {
  const bytes = Buffer.from(`89504e470d0a1a0a0000000d49484452${'00'.repeat(8)}`, 'hex');
  bytes.writeUInt32BE(width, 16);
  bytes.writeUInt32BE(height, 20);
  return bytes;
};

describe('The brand of the operator', () => {
  let folder: string;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'qrelay-brand-'));
  });
  after(() => rm(folder, { recursive: true }));

  function read(env: Record<string, string>) {
    const errors: string[] = [];
    return {
      brand: readBrand(
        (name) => env[name],
        (error) => errors.push(error),
      ),
      errors,
    };
  }

  async function file(name: string, content: string | Buffer): Promise<string> {
    await writeFile(join(folder, name), content);
    return join(folder, name);
  }

  it('is ours where nothing is set', () => {
    expect(read({})).to.deep.equal({ brand: ourBrand, errors: [] });
    expect(themeOf(ourBrand)).to.deep.equal({});
  });

  it('has the name, color and pictures of the environment, and the first letter of the name without an icon', async () => {
    const { brand, errors } = read({
      BRAND_NAME: '  Añejo & Co'.trim(),
      BRAND_COLOR: '#C2185B',
      BRAND_LOGO: await file('logo.svg', svg('viewBox="0 0 240 60"')),
    });
    expect(errors).to.deep.equal([]);
    expect(brand).to.include({
      name: 'Añejo & Co',
      publicName: 'Añejo & Co',
      color: '#c2185b',
      isCustom: true,
    });
    expect(brand.logo).to.include({ width: 240, height: 60, mediaType: 'image/svg+xml' });
    expect(brand.logo?.path).to.match(/^\/brand\/logo-[0-9a-f]{12}\.svg$/);
    expect(brand.icon?.bytes.toString()).to.contain('fill="#c2185b"').and.to.contain('>A</text>');
  });

  it('never has our name beside the pictures of somebody else on public pages', () => {
    expect(read({ BRAND_COLOR: '#123456' }).brand).to.include({ name: 'Qrelay', publicName: undefined });
    expect(read({ MAIL_FOOTER: 'Hello' }).brand).to.include({ isCustom: false, publicName: 'Qrelay' });
  });

  it('reads the lines of the mail footer, also where they are written on one line', () => {
    const lines = ['Example Ltd', '1 High Street', 'London'];
    for (const text of [lines.join('\n'), lines.join('\\n'), lines.join('\r\n\r\n')])
      expect(read({ MAIL_FOOTER: text }).brand.mailFooter).to.deep.equal(lines);
  });

  it('reads the size of pictures', async () => {
    for (const [name, content, size] of [
      ['a.png', png(300, 100), [300, 100]],
      ['b.svg', svg('width="32" height="16px"'), [32, 16]],
      [
        'c.svg',
        `<?xml version="1.0"?>\n<!-- made by a program -->\n${svg("viewBox='0,0,10.5,7'")}`,
        [10.5, 7],
      ],
    ] as const) {
      const { brand, errors } = read({ BRAND_LOGO: await file(name, content) });
      expect(errors, name).to.deep.equal([]);
      expect([brand.logo?.width, brand.logo?.height], name).to.deep.equal(size);
    }
  });

  it('says for each variable what is wrong and what is accepted', async () => {
    const { errors, brand } = read({
      BRAND_NAME: 'x'.repeat(41),
      BRAND_COLOR: 'teal',
      BRAND_LOGO: join(folder, 'missing.svg'),
      BRAND_ICON: await file('photo.jpg', 'JFIF'),
      MAIL_FOOTER: 'x'.repeat(1_001),
    });
    expect(brand).to.deep.equal(ourBrand);
    expect(errors[0]).to.equal('BRAND_NAME must be at most 40 characters on one line');
    expect(errors[1]).to.equal('BRAND_COLOR must be a color such as #0a66c2, not "teal"');
    expect(errors[2]).to.match(/^BRAND_LOGO must be a file that this process can read: .*ENOENT/);
    expect(errors[3]).to.match(/^BRAND_ICON must be a PNG, or an SVG with a viewBox/);
    expect(errors[4]).to.match(/^MAIL_FOOTER must be plain text of at most 10 lines/);
    expect(read({ BRAND_NAME: 'a\nb' }).errors).to.have.length(1);
    const large = await file('large.svg', svg('viewBox="0 0 1 1"') + ' '.repeat(300_000));
    expect(read({ BRAND_LOGO: large }).errors[0]).to.match(/^BRAND_LOGO must be a file of at most 200 KB/);
  });

  it('changes any color until text in it and on it is readable, in both themes', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 0xffffff }), (value) => {
        const color = `#${value.toString(16).padStart(6, '0')}`;
        const theme = { ...colors, ...themeOf({ ...ourBrand, color }) };
        for (const index of [0, 1] as const) {
          const accent = theme.accent[index];
          for (const name of ['paper', 'card', 'raised', 'tint', 'accent-ink'] as const)
            expect(
              contrastOf(luminance(accent), luminance(theme[name][index])),
              `${color}: ${accent} and ${name}`,
            ).to.be.at.least(4.5);
        }
      }),
      { numRuns: 500 },
    );
    expect(themeOf({ ...ourBrand, color: '#7a1f3d' }).accent?.[0]).to.equal('#7a1f3d');
  });
});
