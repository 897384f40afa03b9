import { expect } from 'chai';
import { QrCode } from '../../../src/codes/qr-code.ts';
import { defaultLimits } from '../../../src/limits.ts';
import { insertCodes, newCode } from '../../../src/codes/codes.ts';
import { findOrCreateUser } from '../../../src/accounts/users.ts';
import { type ApiClient, apiClient } from '../../support/api-client.ts';
import { expectError, expectInvalid } from '../../support/expect-error.ts';
import {
  canCheckPdf,
  canRenderPdf,
  expectValidPdf,
  findCodes,
  pageSizesMm,
  pdfFonts,
  pdfText,
  renderPdf,
  typedText,
} from '../../support/render-pdf.ts';
import { sharedService } from '../../support/shared-service.ts';
import type { TestService } from '../../support/service.ts';
import type { WorkspaceId } from '../../../src/workspaces/workspace.ts';

/** As docs/decisions/0084 has them: columns, rows, size of a label, corner of the first one, distances between labels. */
const sheets = {
  L7160: { paper: [210, 297], grid: [3, 7], label: [63.5, 38.1], first: [7.21, 15.15], pitch: [66.04, 38.1] },
  L4732: { paper: [210, 297], grid: [5, 16], label: [35.6, 16.9], first: [11, 13], pitch: [38.1, 16.9] },
  5160: {
    paper: [215.9, 279.4],
    grid: [3, 10],
    label: [66.68, 25.4],
    first: [4.76, 12.7],
    pitch: [69.85, 25.4],
  },
  22806: {
    paper: [215.9, 279.4],
    grid: [3, 4],
    label: [50.8, 50.8],
    first: [15.88, 15.88],
    pitch: [66.68, 65.62],
  },
} as const;

describe('POST /api/v1/qrcodes/labels', () => {
  let service: TestService;
  let users = 0;

  before(async () => {
    service = await sharedService();
  });

  async function owner(): Promise<{ api: ApiClient; key: string; id: string }> {
    const email = `labels-${(users += 1)}@example.com`;
    const key = await service.makeKey({ email });
    const { id } = await findOrCreateUser(service.db, email, new Date());
    return { api: apiClient(service.url, key), key, id };
  }

  async function store(ownerId: string, names: string[]): Promise<QrCode[]> {
    const input = {
      type: 'url' as const,
      content: 'https://example.com/',
      foregroundColor: '#1a1410',
      backgroundColor: '#ffffff',
      size: 512,
      errorCorrection: 'M' as const,
      category: null,
    };
    const now = new Date();
    const rows = names.map((name, index) =>
      newCode(ownerId as WorkspaceId, { ...input, name }, 365, now, index),
    );
    await insertCodes(service.db, ownerId as WorkspaceId, rows, defaultLimits);
    const ids = rows.map(({ id }) => id);
    return QrCode.query(service.db).whereIn('id', ids).orderBy('id');
  }

  const names = (count: number) => [...Array(count).keys()].map((index) => `Table ${index + 1}`);
  const linkOf = ({ shareToken }: QrCode) => `https://qr.test/r/${shareToken}`;

  const post = (key: string, body: object, signal?: AbortSignal) =>
    fetch(`${service.url}/api/v1/qrcodes/labels`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
      ...(signal && { signal }),
    });
  const printed = async (key: string, body: object) => {
    const response = await post(key, body);
    expect([response.status, response.headers.get('Content-Type')]).to.deep.equal([200, 'application/pdf']);
    return Buffer.from(await response.arrayBuffer());
  };

  /** Finds each code on its label, and its middle within 1 mm of where it must be. */
  async function expectOnLabels(
    pdf: Buffer,
    codes: QrCode[],
    sheet: (typeof sheets)[keyof typeof sheets],
    { start, middle }: { start: number; middle: [number, number] },
  ): Promise<void> {
    const [columns, rows] = sheet.grid;
    const pages = await renderPdf(pdf);
    expect(pages).to.have.length(Math.ceil((codes.length + start - 1) / (columns * rows)));
    for (const size of await pageSizesMm(pdf)) expect(size).to.deep.equal(sheet.paper);
    for (const [index, code] of codes.entries()) {
      const label = index + start - 1;
      const place = label % (columns * rows);
      const page = pages[Math.floor(label / (columns * rows))];
      if (!page) throw new Error('a page is missing');
      const xMm = sheet.first[0] + (place % columns) * sheet.pitch[0];
      const yMm = sheet.first[1] + Math.floor(place / columns) * sheet.pitch[1];
      const found = await findCodes(page, { xMm, yMm, widthMm: sheet.label[0], heightMm: sheet.label[1] });
      expect(
        found.map(({ text }) => text),
        `label ${label + 1}`,
      ).to.deep.equal([linkOf(code)]);
      expect(found[0]?.xMm, `x of label ${label + 1}`).to.be.closeTo(xMm + middle[0], 1);
      expect(found[0]?.yMm, `y of label ${label + 1}`).to.be.closeTo(yMm + middle[1], 1);
    }
  }

  it('prints 42 codes on Avery L7160 from the 5th label on, each on its label within 1 mm', async function () {
    if (!canRenderPdf()) return this.skip();
    const { key, id } = await owner();
    const codes = await store(id, names(42));
    const pdf = await printed(key, { qrCodeIds: codes.map((code) => code.id), sheet: 'L7160', start: 5 });
    await expectOnLabels(pdf, codes, sheets.L7160, { start: 5, middle: [31.75, 15.5] });
    const text = await pdfText(pdf);
    for (const { name } of codes) expect(text).to.match(new RegExp(`^\\f?${name}$`, 'm'));
    // The labels before the first are empty.
    const [first] = await renderPdf(pdf);
    const used = { xMm: 7.21, yMm: 15.15, widthMm: 195, heightMm: 38.1 };
    expect(await findCodes(first as NonNullable<typeof first>, used)).to.deep.equal([]);
  });

  for (const [sheet, middle] of [
    ['L4732', [8.3, 8.45]],
    ['5160', [33.3, 10.8]],
    ['22806', [25.4, 21.85]],
  ] as const) {
    it(`prints a whole sheet of Avery ${sheet}`, async function () {
      if (!canRenderPdf()) return this.skip();
      const { key, id } = await owner();
      const [columns, rows] = sheets[sheet].grid;
      const codes = await store(id, names(columns * rows));
      const pdf = await printed(key, { qrCodeIds: codes.map((code) => code.id), sheet });
      await expectOnLabels(pdf, codes, sheets[sheet], { start: 1, middle: [...middle] });
    });
  }

  it('prints on a grid of its own, and the same code several times', async function () {
    if (!canRenderPdf()) return this.skip();
    const { key, id } = await owner();
    const [code] = (await store(id, ['Shelf'])) as [QrCode];
    const grid = { paper: 'A4', columns: 2, rows: 3, marginXMm: 20, marginYMm: 27, gapXMm: 10, gapYMm: 1.5 };
    const sheet = {
      paper: [210, 297],
      grid: [2, 3],
      label: [80, 80],
      first: [20, 27],
      pitch: [90, 81.5],
    } as unknown as (typeof sheets)['L7160'];
    const pdf = await printed(key, { qrCodeIds: Array(6).fill(code.id), sheet: 'grid', grid, name: 'none' });
    await expectOnLabels(pdf, Array<QrCode>(6).fill(code), sheet, { start: 1, middle: [40, 40] });
    expect(await pdfText(pdf)).to.not.include('Shelf');
  });

  const typedNames = [
    'Anna Nguyễn',
    'Šárka Ćosić-Żółkiewska',
    'Iğdır Işık',
    'Bücher “Ærø” – 5 €',
    'Ọ̀ṣun m̀ q̃',
    'Володимир Їжакевич',
    'Ελένη Παπαδοπούλου',
    'محمد علي',
    'فاطمة الزهراء لا',
    'مُحَمَّد',
    'שלום עולם',
    'דּוד בֶּן־גּוּרְיוֹן',
    'สมชาย น้ำ',
    'राजकुमार क्षत्रिय',
    'বাংলা কৃষ্ণ',
    '王小明',
    '張偉',
    '桜井さくら',
    '김민준',
    'Party 😀 👨‍👩‍👧 ❤️',
    // No font that we embed has these, so they are boxes; the text stays.
    'ᐃᓄᒃᑎᑐᑦ',
  ];

  it('prints each name as it was typed, whatever its script, in one embedded font', async function () {
    if (!canCheckPdf()) return this.skip();
    const { key, id } = await owner();
    const codes = await store(id, typedNames);
    const pdf = await printed(key, { qrCodeIds: codes.map((code) => code.id), sheet: 'L7160' });
    const text = await typedText(pdf);
    for (const name of typedNames) expect(text).to.include(name);
    const fonts = await pdfFonts(pdf);
    expect(fonts).to.have.length(1);
    expect(fonts[0]).to.deep.include({ isEmbedded: true, isSubset: true, hasUnicode: true });
    expect(fonts[0]?.name).to.match(/^[A-Z]{6}\+NotoSans-Regular$/);
    await expectValidPdf(pdf);
    // Names do not cover codes, and poppler finds no error.
    const [page] = await renderPdf(pdf);
    expect(await findCodes(page as NonNullable<typeof page>)).to.have.length(typedNames.length);
  });

  for (const [name, lines] of [
    ['Gabriel García-Márquez', ['Gabriel', 'García-\u00ad', 'Márquez']],
    ['Donaudampfschifffahrtskapitän', ['Donau\u00ad', 'dampfschiff\u00ad', 'fahrtskapitän']],
    ['桜井さくらラーメンショップ東京本店', undefined],
    ['สมชาย ใจดีมากที่สุดในประเทศไทย', undefined],
    ['محمد بن عبد الله الخوارزمي', undefined],
  ] as const) {
    it(`breaks ${name} where it may be broken`, async function () {
      if (!canRenderPdf()) return this.skip();
      const { key, id } = await owner();
      const [code] = (await store(id, [name])) as [QrCode];
      const pdf = await printed(key, { qrCodeIds: [code.id], sheet: 'L4732' });
      const found = (await pdfText(pdf)).replace(/[\u202a-\u202e\f]/g, '').trim();
      if (lines) expect(found.split('\n').map((line) => line.trim())).to.deep.equal(lines);
      expect(found.split('\n')).to.have.length.above(1);
      expect(found.replace(/[\s\u00ad]/g, '')).to.equal(name.replace(/\s/g, ''));
    });
  }

  it('makes long names smaller, then shortens them', async function () {
    if (!canRenderPdf()) return this.skip();
    const { key, id } = await owner();
    const codes = await store(id, ['word '.repeat(20).trim(), 'W'.repeat(100), 'Short']);
    const pdf = await printed(key, { qrCodeIds: codes.map((code) => code.id), sheet: '5160' });
    expect(await pdfText(pdf))
      .to.match(/^word word .*…$/m)
      .and.to.match(/W+…/)
      .and.to.match(/\bShort$/m);
  });

  it('keeps hostile names on their labels, and replaces visibly what cannot be drawn', async function () {
    if (!canCheckPdf()) return this.skip();
    const { key, id } = await owner();
    const codes = await store(id, [
      `a${'\u0301'.repeat(199)}`,
      '\u202eMenu',
      '😀'.repeat(200),
      '👨‍'.repeat(100),
      '\u200d\u200f'.repeat(99),
      'ﷺ﷽'.repeat(50),
      '\u0300\u20dd',
      'Plain',
    ]);
    const pdf = await printed(key, { qrCodeIds: codes.map((code) => code.id), sheet: 'L4732' });
    await expectValidPdf(pdf);
    const [page] = await renderPdf(pdf);
    const found = await findCodes(page as NonNullable<typeof page>);
    expect(found.map(({ text }) => text)).to.have.members(codes.map(linkOf));
    const text = await pdfText(pdf);
    expect(text).to.include('\ufffd').and.to.include('Menu').and.to.include('Plain');
  });

  it('warns where labels are too small for what the codes hold', async () => {
    const { api, key } = await owner();
    const { body } = await api('/qrcodes', {
      method: 'POST',
      body: { name: 'Menu', content: 'https://example.com/', errorCorrection: 'H' },
    });
    const grid = { paper: 'A4', columns: 10, rows: 17 };
    const response = await post(key, { qrCodeIds: [body.id], sheet: 'grid', grid, name: 'below' });
    expect(response.headers.get('Qrelay-Warning')).to.match(/^1 of 1 codes are too small on this label/);
    await response.arrayBuffer();
  });

  it('rejects too many codes, bad positions and bad grids, and names the field', async () => {
    const { api, id } = await owner();
    const [code] = (await store(id, ['Shelf'])) as [QrCode];
    const ids = [code.id];
    const send = (body: object) => api('/qrcodes/labels', { method: 'POST', body });
    const grid = { paper: 'A4', columns: 3, rows: 5 };
    expectInvalid(await send({ qrCodeIds: Array(1_001).fill(code.id), sheet: 'L7160' }), ['qrCodeIds']);
    expectInvalid(await send({ qrCodeIds: [], sheet: 'L7160' }), ['qrCodeIds']);
    expectInvalid(await send({ qrCodeIds: ['x'], sheet: 'L7160' }), ['qrCodeIds[0]']);
    expectInvalid(await send({ ids, sheet: 'L9999' }), ['sheet']);
    for (const start of [0, -1, 22, 1.5, '1', 1e9])
      expectInvalid(await send({ ids, sheet: 'L7160', start }), ['start']);
    expectInvalid(await send({ ids, sheet: 'grid' }), ['grid']);
    expectInvalid(await send({ ids, sheet: 'L7160', grid }), ['grid']);
    expectInvalid(await send({ ids, sheet: 'grid', grid, start: 16 }), ['start']);
    expectInvalid(await send({ ids, sheet: 'grid', grid: { ...grid, columns: 12, marginXMm: 50 } }), [
      'grid',
    ]);
    expectInvalid(await send({ ids, sheet: 'grid', grid: { ...grid, rows: 1e6 } }), ['grid.rows']);
    expectInvalid(await send({ ids, sheet: 'L7160', name: 'above' }), ['name']);
  });

  it('treats codes of others like missing ones', async () => {
    const [mine, other] = [await owner(), await owner()];
    const [own] = (await store(mine.id, ['Mine'])) as [QrCode];
    const [foreign] = (await store(other.id, ['Theirs'])) as [QrCode];
    const missing = '01936f3e-7c1a-7d44-8f0b-2a5c7f0e9b11';
    for (const id of [foreign.id, missing]) {
      const answer = await mine.api('/qrcodes/labels', {
        method: 'POST',
        body: { qrCodeIds: [own.id, id], sheet: 'L7160' },
      });
      expectError(answer, 404, 'not_found');
      expect(answer.body.message).to.equal('There are no such QR codes: qrCodeIds[1].');
    }
  });
});
