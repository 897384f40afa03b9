// Inputs: src/codes/text, package.json
import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { findFacesFor, findUnprintable } from '../../../src/codes/text/font-family.ts';

/** A word in each script, by the package that has it. */
const samples: Record<string, string> = {
  'noto-sans': 'Nguyễn Їжак Ελένη हिन्दी q̃',
  'noto-sans-arabic': 'محمّد',
  'noto-sans-armenian': 'Հայաստան',
  'noto-sans-bengali': 'বাংলা',
  'noto-sans-ethiopic': 'አማርኛ',
  'noto-sans-georgian': 'საქართველო',
  'noto-sans-gujarati': 'ગુજરાતી',
  'noto-sans-gurmukhi': 'ਪੰਜਾਬੀ',
  'noto-sans-hebrew': 'דּוד',
  'noto-sans-kannada': 'ಕನ್ನಡ',
  'noto-sans-khmer': 'ខ្មែរ',
  'noto-sans-lao': 'ລາວ',
  'noto-sans-malayalam': 'മലയാളം',
  'noto-sans-myanmar': 'မြန်မာ',
  'noto-sans-sinhala': 'සිංහල',
  'noto-sans-tamil': 'தமிழ்',
  'noto-sans-telugu': 'తెలుగు',
  'noto-sans-thai': 'น้ำ',
  'noto-sans-symbols': '♫→',
  'noto-sans-sc': '王小明',
  'noto-sans-tc': '張偉',
  'noto-sans-jp': '桜井さくら',
  'noto-sans-kr': '김민준',
  'noto-emoji': '😀👨‍👩‍👧🇩🇪',
};

async function packagesOf(text: string): Promise<(string | undefined)[]> {
  const faces = findFacesFor(text);
  const graphemes = Array.from(new Intl.Segmenter('und').segment(text), ({ segment }) => segment);
  const found = await Promise.all(graphemes.map((grapheme) => faces.find(grapheme)));
  return [...new Set(found.map((face) => face?.id.split('/')[0]))];
}

describe('The font family', () => {
  for (const [name, text] of Object.entries(samples)) {
    it(`draws ${text} with ${name}`, async () => {
      expect(await packagesOf(text)).to.deep.equal([name]);
    });
  }

  it('uses every package of fonts that is installed for it', () => {
    const { dependencies } = JSON.parse(readFileSync('package.json', 'utf8')) as {
      dependencies: Record<string, string>;
    };
    const installed = Object.keys(dependencies)
      .filter((name) => name.startsWith('@fontsource-variable/noto-'))
      .map((name) => name.split('/')[1]);
    expect(['noto-sans', ...installed]).to.have.members(Object.keys(samples));
  });

  it('has no face for a script that no package has', async () => {
    expect(await packagesOf('ᐃᓄᒃ')).to.deep.equal([undefined]);
  });

  it('knows which characters it has in no face, so that people learn of it before they print', async () => {
    expect(await findUnprintable([...Object.values(samples), 'Zoë Ñandú', ''])).to.deep.equal([]);
    expect(await findUnprintable(['ᏣᎳᎩ Café', 'ᏣᎳᎩ ᠮ ⵣ'])).to.deep.equal(['Ꮳ', 'Ꮃ', 'Ꭹ', 'ᠮ', 'ⵣ']);
  });
});
