// Inputs: src/codes, src/runtime, src/telemetry, src/errors.ts, src/limits.ts, src/schema.ts
import { expect } from 'chai';
import { drawPng, type Picture } from '../../src/codes/image/draw.ts';
import { countModules } from '../../src/codes/image/symbol.ts';
import { type CodeType, codeTypes, contentType } from '../../src/codes/content/content-types.ts';
import { errorCorrections, type ErrorCorrection } from '../../src/codes/qr-code.ts';
import { codeWarnings, pictureWarnings } from '../../src/codes/scannability.ts';
import { shareUrl } from '../../src/codes/share-token.ts';
import { fuzzSeed as seed } from '../support/fuzz-seed.ts';
import { readPng } from './image/pixels.ts';
import { scan } from './image/zxing.ts';

const address = shareUrl('https://qr.example.com', 'abcdefghij');
const typical = {
  ...Object.fromEntries(codeTypes.map((type) => [type, contentType(type).example])),
  url: 'https://example.com/menu?table=12&lang=de#today',
  text: 'Grüße aus Köln – 你好, Привет, مرحبا 👋🏽 \\ "quoted" \t; line\r\nbreak',
  wifi: 'WIFI:T:WPA;S:Café am Fluß;P:p\\;a\\:s\\\\s"wörd;H:true;;',
  vcard: [
    'BEGIN:VCARD',
    'VERSION:4.0',
    'FN:Zoë Müller-Østergård',
    'N:Müller-Østergård;Zoë;;Dr.;',
    'ORG:Qrelay GmbH',
    'TITLE:Engineer',
    'TEL;TYPE=work,voice;VALUE=uri:tel:+49-30-1234567',
    'EMAIL:zoe@example.com',
    'ADR;TYPE=work:;;Straße 1;Berlin;;10115;Germany',
    'URL:https://example.com/zoe',
    'END:VCARD',
    '',
  ].join('\r\n'),
  email: 'mailto:info@example.com?subject=Reservierung%20f%C3%BCr%20zwei&body=Hallo!',
  phone: '+4930123456',
  sms: 'SMSTO:+15551234567:See you at 8, table für zwei',
  whatsapp: 'https://wa.me/15551234567?text=Hi%20there',
  geo: 'geo:52.520008,13.404954?q=Brandenburger%20Tor',
  social: 'https://www.instagram.com/qrelay\nhttps://mastodon.social/@qrelay',
} as Record<CodeType, string>;

type Random = () => number;

/** mulberry32: a small seeded generator. */
function randomFrom(start: number): Random {
  let state = start;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
const upTo = (random: Random, most: number) => Math.floor(random() * (most + 1));
const oneOf = <Value>(random: Random, values: readonly Value[]) =>
  values[upTo(random, values.length - 1)] as Value;
const colour = (random: Random) => `#${upTo(random, 0xffffff).toString(16).padStart(6, '0')}`;

const ownColors = { foregroundColor: '#1a1410', backgroundColor: '#ffffff' };
const colours: ((random: Random) => Pick<Picture, 'foregroundColor' | 'backgroundColor'>)[] = [
  () => ownColors,
  () => ({ foregroundColor: '#ffffff', backgroundColor: '#1A1410' }),
  () => ({ foregroundColor: '#cc0000', backgroundColor: '#ffee99' }),
  () => ({ foregroundColor: '#00ff00', backgroundColor: '#000080' }),
  (random) => ({ foregroundColor: colour(random), backgroundColor: colour(random) }),
  (random) => ({ foregroundColor: colour(random), backgroundColor: colour(random) }),
];

const alphabets = ['0123456789', 'ABC 0123456789$%*+-./:', 'abcdefghijklmnopqrstuvwxyz /?&=', 'aß€漢😀é\n'];
const capacity: Record<ErrorCorrection, number> = { L: 2953, M: 2331, Q: 1663, H: 1273 };

function randomText(random: Random, errorCorrection: ErrorCorrection): string {
  const alphabet = [...oneOf(random, alphabets)];
  const bytes = 1 + Math.floor(random() ** 3 * (capacity[errorCorrection] - 1));
  let text = oneOf(random, alphabet);
  for (let next = text; Buffer.byteLength(text + next) <= bytes; next = oneOf(random, alphabet)) text += next;
  return Buffer.byteLength(text) <= capacity[errorCorrection] ? text : 'x';
}

const isTooSimilar = (warnings: string[]) => warnings.some((warning) => warning.includes('too similar'));

/** An independent decoder reads it, byte for byte, unless there is a warning. */
async function expectReadable(picture: Picture): Promise<'read' | 'not expected to be'> {
  const png = drawPng(picture);
  expect(readPng(png).size).to.equal(picture.size);
  const warnings = pictureWarnings(picture);
  const isThinnedOut = countModules(picture.text, picture.errorCorrection) > picture.size;
  if (isThinnedOut) expect(warnings.join()).to.include('has no room for');
  if (isThinnedOut || isTooSimilar(warnings)) return 'not expected to be';
  const read = await scan(png);
  const shown = `FUZZ_SEED=${seed} ${JSON.stringify({ ...picture, warnings })} was read as ${read?.toString()}`;
  expect(read?.equals(Buffer.from(picture.text)), shown).to.equal(true);
  return 'read';
}

describe(`An image without warnings can be scanned (FUZZ_SEED=${seed})`, function () {
  this.timeout(120_000);

  const texts = { 'the share address': address, ...typical };
  for (const [index, [name, text]] of Object.entries(texts).entries()) {
    it(`for ${name}: each error correction, small and large sizes, many colors`, async () => {
      const random = randomFrom(seed + index);
      let count = 0;
      for (const errorCorrection of errorCorrections) {
        for (const size of name === 'the share address' ? [128, 129, 300, 512, 2048] : [129, 512]) {
          // Large ones take the decoder longest, and say no more of colors than small ones.
          for (const pick of size === 2048
            ? [oneOf(random, colours)]
            : [colours[0], oneOf(random, colours)]) {
            await expectReadable({ text, errorCorrection, size, ...(pick ?? (() => ownColors))(random) });
            count += 1;
          }
        }
      }
      expect(count).to.equal(name === 'the share address' ? 36 : 16);
    });
  }

  it('for text of any kind and length, in images of any size', async () => {
    const random = randomFrom(seed);
    let read = 0;
    while (read < 50) {
      const errorCorrection = oneOf(random, errorCorrections);
      const outcome = await expectReadable({
        text: randomText(random, errorCorrection),
        errorCorrection,
        size: 128 + Math.floor(random() ** 3 * 1921),
        ...oneOf(random, colours)(random),
      });
      if (outcome === 'read') read += 1;
    }
  });

  it('for colors with just enough contrast', async () => {
    const random = randomFrom(seed);
    const warnsOf = (picture: Picture) => isTooSimilar(pictureWarnings(picture));
    let count = 0;
    while (count < 50) {
      const backgroundColor = colour(random);
      const parts = [1, 3, 5].map((at) => Number.parseInt(backgroundColor.slice(at, at + 2), 16));
      const faded = (share: number) =>
        `#${parts
          .map((part) =>
            Math.round(part * share)
              .toString(16)
              .padStart(2, '0'),
          )
          .join('')}`;
      const look = { text: address, errorCorrection: 'M' as const, size: 200, backgroundColor };
      const shares = Array.from({ length: 100 }, (_, index) => 1 - index / 100);
      const enough = shares.find((share) => !warnsOf({ ...look, foregroundColor: faded(share) }));
      if (enough === undefined) continue;
      expect(await expectReadable({ ...look, foregroundColor: faded(enough) })).to.equal('read');
      count += 1;
    }
  });
});

describe('The warnings for an image', () => {
  const plain: Picture = { text: address, errorCorrection: 'M', size: 512, ...ownColors };
  const warn = (change: Partial<Picture>) => pictureWarnings({ ...plain, ...change });

  it('are none for the defaults, at any size', () => {
    for (let size = 128; size <= 2048; size += 1) expect(warn({ size })).to.deep.equal([]);
  });

  it('name colors that are too similar, and their contrast', () => {
    expect(warn({ foregroundColor: '#777777', backgroundColor: '#888888' })).to.deep.equal([
      'The colors #777777 and #888888 are too similar for a scanner: their contrast is 1.2:1 and should be at least 3:1. Choose a darker foregroundColor or a lighter backgroundColor.',
    ]);
    expect(warn({ foregroundColor: '#ffffff' })).to.have.length(1);
    // Suggests only what can help.
    const remedy = (foregroundColor: string, backgroundColor: string) =>
      warn({ foregroundColor, backgroundColor })[0]?.split('3:1. ')[1];
    expect(remedy('#cccccc', '#ffffff')).to.equal('Choose a darker foregroundColor.');
    expect(remedy('#000000', '#222222')).to.equal('Choose a lighter backgroundColor.');
    expect(remedy('#a0a0a0', '#575757')).to.equal(
      'Choose a darker foregroundColor and a lighter backgroundColor.',
    );
    expect(warn({ foregroundColor: '#959595' })[0]).to.include('is 2.9:1');
    expect(warn({ foregroundColor: '#949494' })).to.deep.equal([]);
  });

  it('name light on dark', () => {
    expect(warn({ foregroundColor: '#FFFFFF', backgroundColor: '#1a1410' })).to.deep.equal([
      'Many scanners expect dark on light: the foregroundColor #FFFFFF is lighter than the backgroundColor #1a1410. Swap the two.',
    ]);
  });

  it('name modules that are too small, and the size that is enough', () => {
    for (const errorCorrection of errorCorrections) {
      for (const length of [60, 200, 400, 800, 1273]) {
        const text = 'x'.repeat(length);
        const needed = 2 * (countModules(text, errorCorrection) + 8);
        expect(warn({ text, errorCorrection, size: needed })).to.deep.equal([]);
        if (needed <= 128) continue;
        const [warning] = warn({ text, errorCorrection, size: needed - 1 });
        expect(warning).to.include('has only 1 pixel for each').and.include(`at least ${needed} pixels`);
      }
    }
    expect(warn({ text: 'x'.repeat(2331), size: 128 })).to.deep.equal([
      'A picture of 128 pixels has no room for the 177 by 177 modules that this much text takes and the margin around them. It needs at least 370 pixels or less text.',
    ]);
  });

  it('count the modules that are drawn', () => {
    const random = randomFrom(seed);
    for (let round = 0; round < 60; round += 1) {
      const errorCorrection = oneOf(random, errorCorrections);
      const text = randomText(random, errorCorrection);
      const modules = countModules(text, errorCorrection);
      const { size, pixels } = readPng(drawPng({ ...plain, text, errorCorrection, size: modules + 8 }));
      const row = pixels.subarray(4 * size, 5 * size);
      expect([row.indexOf(1), row.lastIndexOf(1)], `FUZZ_SEED=${seed}`).to.deep.equal([4, modules + 3]);
    }
  });

  it('can be headers: ASCII, without commas', () => {
    const all = warn({
      text: 'x'.repeat(2000),
      size: 128,
      foregroundColor: '#ffffff',
      backgroundColor: '#eeeeee',
    });
    expect(all).to.have.length(2);
    all.push(...warn({ foregroundColor: '#ffffff', backgroundColor: '#000000' }));
    expect(all).to.have.length(3);
    for (const warning of all) expect(warning).to.match(/^[\x20-\x2b\x2d-\x7e]+\.$/);
  });
});

describe('The warnings for a stored code', () => {
  const code = { content: 'short', errorCorrection: 'M' as const, size: 128, ...ownColors };

  it('are none where both of its images can be scanned', () => {
    expect(codeWarnings(code, address)).to.deep.equal([]);
  });

  it('mark those for the image of the content', () => {
    const [warning, ...others] = codeWarnings({ ...code, content: 'x'.repeat(500) }, address);
    expect(warning).to.match(/^With encode=content: A picture of 128 pixels/);
    expect(others).to.deep.equal([]);
  });

  it('list a warning for both images once', () => {
    const light = { ...code, foregroundColor: '#ffffff', backgroundColor: '#000000' };
    expect(codeWarnings(light, address)).to.have.length(1);
  });

  const vcard = (number: string) => `BEGIN:VCARD\nVERSION:3.0\nFN:Ann\nTEL:${number}\nEND:VCARD`;
  const large = { ...code, size: 1024 };

  it('say that a number without its country code works in one country only', () => {
    for (const [type, content, beginning] of [
      ['phone', '030 1234567', 'Scanners abroad cannot call this number: '],
      ['phone', 'tel:0049301234567', 'Scanners abroad cannot call this number: '],
      ['sms', 'SMSTO:0170 1234567:Hi', 'Scanners abroad cannot text this number: '],
      ['sms', 'sms:+491701234567,01701234567', 'Scanners abroad cannot text this number: '],
      ['vcard', vcard('0170 1234567'), 'Scanners abroad cannot call a number of this contact: '],
      ['whatsapp', '5551234567', 'WhatsApp takes the first digits of this number for the country: '],
    ] as const) {
      expect(codeWarnings({ ...large, type, content }, address), content).to.deep.equal([
        `${beginning}start with + and the country code.`,
      ]);
    }
  });

  it('say that a number has too few or too many digits for its country, or an unknown country code', () => {
    for (const [type, content, expected] of [
      ['phone', '+44 20 7946', 'The number +44207946 is too short for its country: check the digits.'],
      [
        'phone',
        'tel:+44207946000012',
        'The number +44207946000012 is too long for its country: check the digits.',
      ],
      ['sms', 'sms:+491701234567,+1555', 'The number +1555 is too short for its country: check the digits.'],
      ['vcard', vcard('+1 555 0100'), 'The number +15550100 is too short for its country: check the digits.'],
      [
        'whatsapp',
        'https://wa.me/1555010',
        'The number +1555010 is too short for its country: check the digits.',
      ],
      [
        'phone',
        '+999 123456',
        'The number +999123456 begins with an unknown country code: check the digits after the +.',
      ],
    ] as const) {
      expect(codeWarnings({ ...large, type, content }, address), content).to.deep.equal([expected]);
    }
  });

  it('are none for a number with its country code, nor for one that never has one', () => {
    for (const [type, content] of [
      ['phone', '+49 (0)30 1234567'],
      ['phone', 'tel:+49301234567'],
      ['phone', '112'],
      ['phone', '*#06#'],
      ['phone', '116 117'],
      ['sms', 'SMSTO:+491701234567:Hi'],
      ['sms', '70007'],
      ['vcard', vcard('+491701234567')],
      ['whatsapp', '+491701234567'],
      ['whatsapp', '00491701234567'],
      ['whatsapp', 'https://wa.me/491701234567'],
      ['text', '030 1234567'],
    ] as const) {
      expect(codeWarnings({ ...large, type, content }, address), content).to.deep.equal([]);
    }
  });
});
