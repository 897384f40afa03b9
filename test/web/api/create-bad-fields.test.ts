import type { ApiClient } from '../../support/api-client.ts';
import { expectInvalid } from '../../support/expect-error.ts';
import { ownerClient } from '../../support/owner-client.ts';
import { startService, type TestService } from '../../support/service.ts';

const minimal = { name: 'Menu', content: 'https://example.com/menu' };

const unstorable = { 'a NUL': 'a\0b', 'a lone high surrogate': 'a\ud83d', 'a lone low surrogate': '\ude00b' };
const notStrings = { 'a number': 5, true: true, 'an array': ['a'], 'an object': { a: 'b' } };
const notColours = {
  ...notStrings,
  null: null,
  'no text': '',
  'three digits': '#fff',
  'no number sign': '1a1410',
  'five digits': '#1a141',
  'seven digits': '#1a14100',
  'an alpha channel': '#1a1410ff',
  'a letter past f': '#1a141g',
  'a colour name': 'red',
  'a space before': ' #1a1410',
  'a line break after': '#1a1410\n',
  'full-width digits': '#１a1410',
};

const badValues: Record<string, Record<string, unknown>> = {
  name: {
    ...notStrings,
    ...unstorable,
    missing: undefined,
    null: null,
    'no text': '',
    'spaces only': ' \t\n\u00a0\u3000',
    '101 characters': 'x'.repeat(101),
    '101 emoji': '🎉'.repeat(101),
    '100 letters that are 200 code points in NFC': '\u0958'.repeat(100),
  },
  content: { ...notStrings, ...unstorable, missing: undefined, null: null, 'no text': '' },
  type: {
    ...notStrings,
    null: null,
    'no text': '',
    'capital letters': 'URL',
    'an unknown one': 'pdf',
    'a space after': 'url ',
    'a name of Object.prototype': 'constructor',
  },
  foregroundColor: notColours,
  backgroundColor: notColours,
  errorCorrection: {
    ...notStrings,
    null: null,
    'no text': '',
    'a small letter': 'm',
    'an unknown one': 'X',
    two: 'LM',
  },
  size: {
    null: null,
    'a number in quotes': '512',
    'no text': '',
    true: true,
    'an array': [512],
    'an object': {},
    '512.5': 512.5,
    '127': 127,
    '2049': 2049,
    '0': 0,
    'minus 512': -512,
    'past every integer': 1e300,
  },
  category: {
    ...notStrings,
    ...unstorable,
    'no text': '',
    'spaces only': '  ',
    '101 characters': 'x'.repeat(101),
    '101 emoji': '🎉'.repeat(101),
  },
};

const notForCreate = [
  'id',
  'shareToken',
  'shareUrl',
  'isPublic',
  'isFavorite',
  'scanCount',
  'createdAt',
  'updatedAt',
  'expiresAt',
  'userId',
  'Name',
  'colour',
  'a/b~c',
  'constructor',
  'toString',
  'hasOwnProperty',
];

describe('POST /api/v1/qrcodes rejects invalid fields with 400 validation_error (4.1, 8; decisions: Bodies and errors)', () => {
  let service: TestService;
  let api: ApiClient;
  const create = (body: object) => api('/qrcodes', { method: 'POST', body });

  before(async () => {
    service = await startService();
    api = ownerClient(service);
  });
  after(() => service.stop());

  for (const [field, values] of Object.entries(badValues)) {
    describe(field, () => {
      for (const [what, value] of Object.entries(values)) {
        it(`names ${field} when it is ${what}`, async () => {
          // Text, so that only the field in question can be invalid.
          expectInvalid(await create({ ...minimal, type: 'text', [field]: value }), [field]);
        });
      }
    });
  }

  it('names size when it is too large for a double', async () => {
    const raw = '{"name":"Menu","content":"https://example.com/","size":1e400}';
    expectInvalid(await api('/qrcodes', { method: 'POST', raw }), ['size']);
  });

  describe('unknown fields', () => {
    for (const field of notForCreate) {
      it(`names ${JSON.stringify(field)}`, async () => {
        expectInvalid(await create({ ...minimal, [field]: 'x' }), [field]);
      });
    }
  });

  describe('several invalid fields', () => {
    it('names name and content for an empty object', async () => {
      expectInvalid(await create({}), ['name', 'content']);
    });

    it('names every field when every field is invalid', async () => {
      expectInvalid(
        await create({
          name: '',
          content: 7,
          type: 'pdf',
          foregroundColor: 'red',
          backgroundColor: null,
          errorCorrection: 'X',
          size: '512',
          category: '',
          shareToken: 'mine',
          colour: 'red',
        }),
        [
          'name',
          'content',
          'type',
          'foregroundColor',
          'backgroundColor',
          'errorCorrection',
          'size',
          'category',
          'shareToken',
          'colour',
        ],
      );
    });

    it('names a field once when it breaks several rules', async () => {
      expectInvalid(await create({ ...minimal, name: `\0${'x'.repeat(101)}` }), ['name']);
    });

    it('names content for its own rules, besides fields of the wrong type', async () => {
      expectInvalid(await create({ name: 'Menu', content: 'javascript:alert(1)', size: 127 }), [
        'content',
        'size',
      ]);
      expectInvalid(await create({ content: 'x'.repeat(3000), type: 'text' }), ['name', 'content']);
    });

    it('does not check content by the rules of another type', async () => {
      expectInvalid(await create({ name: 'Note', content: 'Hello', type: 'txt' }), ['type']);
    });

    it('does not check content by the capacity of another error correction', async () => {
      const content = 'x'.repeat(2900);
      expectInvalid(await create({ name: 'Note', content, type: 'text', errorCorrection: 'low' }), [
        'errorCorrection',
      ]);
    });
  });
});
