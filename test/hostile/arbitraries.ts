import * as fc from 'fast-check';
import { codeTypes } from '../../src/codes/content/content-types.ts';
import { errorCorrections } from '../../src/codes/qr-code.ts';

const visible = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 1 });
const odd = fc.constantFrom(
  '\u200b',
  '\ufeff',
  '\u202e',
  '\r\n',
  '\u0301',
  ' ',
  '\u007f',
  '\ufffe',
  '\u{10ffff}',
);
const half = fc.integer({ min: 0xd800, max: 0xdfff }).map((unit) => String.fromCharCode(unit));

/** Text that can be stored, of any script and with control characters, beginning with a visible character. */
const storableText = fc
  .tuple(
    fc.constantFrom(...'aÄ字🎉'),
    fc.array(fc.oneof({ weight: 4, arbitrary: visible }, odd), { maxLength: 25 }),
  )
  .map(([first, rest]) => first + rest.join(''));
/** Any text that JSON can hold: with NUL, lone surrogates, or empty. */
const badText = fc.string({ unit: fc.oneof(visible, odd, half, fc.constant('\0')), maxLength: 120 });
const anyText = fc.oneof({ weight: 9, arbitrary: storableText }, { weight: 1, arbitrary: badText });

const colour = fc.stringMatching(/^#[0-9a-fA-F]{6}$/);
const size = fc.integer({ min: 128, max: 2048 });
const type = fc.constantFrom(...codeTypes);
const errorCorrection = fc.constantFrom(...errorCorrections);
const anything = fc.oneof(
  anyText,
  fc.jsonValue({ maxDepth: 3 }),
  fc.double(),
  fc.constantFrom(null, '', 0, -1, 1e308),
);
/** Mostly valid, so that other fields are tested too. */
const orAnything = (good: fc.Arbitrary<unknown>) =>
  fc.oneof({ weight: 9, arbitrary: good }, { weight: 1, arbitrary: anything });

const anyFields = {
  name: orAnything(anyText),
  content: orAnything(fc.oneof(anyText, fc.webUrl())),
  foregroundColor: orAnything(colour),
  backgroundColor: orAnything(colour),
  size: orAnything(size),
  errorCorrection: orAnything(errorCorrection),
  category: orAnything(fc.option(anyText)),
};

/** Sometimes with an unknown field, and sometimes not an object. */
const orWorse = (fields: fc.Arbitrary<object>) =>
  fc.oneof(
    { weight: 18, arbitrary: fields },
    {
      weight: 1,
      arbitrary: fc
        .tuple(fields, fc.dictionary(anyText, anything, { maxKeys: 2 }))
        .map(([a, b]) => ({ ...a, ...b })),
    },
    { weight: 1, arbitrary: anything },
  );

export const anyCreateBody = orWorse(
  fc.record({ ...anyFields, type: orAnything(type) }, { requiredKeys: ['name', 'content'] }),
);
export const anyPatchBody = orWorse(
  fc.record(
    {
      ...anyFields,
      isPublic: orAnything(fc.boolean()),
      isFavorite: orAnything(fc.boolean()),
      expiresAt: orAnything(fc.date({ noInvalidDate: true }).map((date) => date.toJSON())),
    },
    { requiredKeys: [] },
  ),
);

/** As in the decisions: trimmed, in NFC. */
export const tidy = (text: string) => text.normalize('NFC').trim();

/** One line, without control and bidirectional characters. */
const soundLabel = storableText
  .map((text) => text.replaceAll(/[\p{Cc}\u2028-\u202e\u2066-\u2069]/gu, ''))
  .filter((text) => [...tidy(text)].length <= 100);

const soundFields = {
  name: soundLabel,
  content: storableText,
  foregroundColor: colour,
  backgroundColor: colour,
  size,
  errorCorrection,
  category: fc.option(soundLabel),
};

/** Must be accepted: every field as in the contract. */
export const soundCreateBody = fc.record(
  { ...soundFields, type: type.filter((name) => name !== 'url') },
  { requiredKeys: ['name', 'content', 'type'] },
);
export const soundPatchBody = fc.record(
  {
    ...soundFields,
    isPublic: fc.boolean(),
    isFavorite: fc.boolean(),
    expiresAt: fc
      .date({
        min: new Date('0000-01-01T00:00:00Z'),
        max: new Date('9999-12-31T23:59:59.999Z'),
        noInvalidDate: true,
      })
      .map((date) => date.toISOString()),
  },
  { requiredKeys: [] },
);

const parameter = fc.oneof(
  fc.constantFrom('limit', 'cursor', 'days', 'category', 'type', 'favorite'),
  anyText.map((text) => text.toWellFormed()),
);
const value = fc.oneof(
  fc.integer().map(String),
  fc.nat({ max: 600 }).map(String),
  fc.uuid(),
  fc.constantFrom('true', 'false', 'url', '', '1e1', '%00'),
  anyText.map((text) => text.toWellFormed()),
);

/** After the question mark: properly encoded, or any characters of a URL. */
export const anyQuery = fc.oneof(
  fc
    .array(fc.tuple(parameter, value), { maxLength: 3 })
    .map((pairs) => pairs.map((pair) => pair.map(encodeURIComponent).join('=')).join('&')),
  fc.webQueryParameters(),
  fc.string({ unit: fc.constantFrom(...'limt=&%0;+[]x'), maxLength: 30 }),
);

const fromBytes = (...ranges: [number, number][]) =>
  fc.oneof(...ranges.map(([min, max]) => fc.integer({ min, max }).map((byte) => String.fromCharCode(byte))));
/** The characters that Node accepts in a request target. */
export const anyPath = fc.string({ unit: fromBytes([0x21, 0x22], [0x24, 0x7e]), maxLength: 60 });
/** The characters that Node accepts in a header. */
export const anyHeader = fc.string({
  unit: fromBytes([0x09, 0x09], [0x20, 0x7e], [0x80, 0xff]),
  maxLength: 700,
});

export const anyUserAgent = fc.oneof(
  anyHeader,
  fc
    .array(
      fc.constantFrom(
        'Mozilla/5.0',
        '(iPhone;',
        'Version/17.5',
        'Mobile',
        ')',
        'Safari/604.1',
        'Chrome/',
        'like',
        '\u00ff',
        'bot',
      ),
      { maxLength: 12 },
    )
    .map((words) => words.join(' ')),
);
export const anyForwardedFor = fc
  .array(
    fc.oneof(
      fc.ipV4(),
      fc.ipV6(),
      fc.ipV4Extended(),
      anyHeader.map((text) => text.slice(0, 40)),
    ),
    { maxLength: 20 },
  )
  .map((hops) => hops.join(', '));
