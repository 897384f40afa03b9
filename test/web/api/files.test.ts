import { expect } from 'chai';
import { type ApiClient, apiClient } from '../../support/api-client.ts';
import { expectError, expectInvalid } from '../../support/expect-error.ts';
import { readZip } from '../../support/read-zip.ts';
import { canRenderPdf, findCodes, pageSizesMm, renderPdf } from '../../support/render-pdf.ts';
import { sharedService } from '../../support/shared-service.ts';
import type { TestService } from '../../support/service.ts';
import { scan } from '../../codes/image/zxing.ts';

const names = [
  'Table 1',
  'Ärzte / "Bar"?',
  '../../etc/passwd',
  '=HYPERLINK("x")',
  '\u202eexe.gnp',
  '菜单',
  '+49 30',
  '-5 %',
  '@home',
  '. =1+1',
];

describe('POST /api/v1/qrcodes/files', () => {
  let service: TestService;
  let api: ApiClient;
  let key: string;
  let codes: { id: string; name: string; shareToken: string; shareUrl: string }[];

  before(async () => {
    service = await sharedService();
    key = await service.makeKey();
    api = apiClient(service.url, key);
    const rows = names.map((name) => ({ name: name.replace('\u202e', ''), content: 'https://example.com/' }));
    const { body } = await api('/qrcodes/bulk', { method: 'POST', body: { qrCodes: rows } });
    codes = body.data.map(({ qrCode }: { qrCode: object }) => qrCode);
  });

  async function download(format: string, chosen = codes): Promise<Map<string, Buffer>> {
    const response = await fetch(`${service.url}/api/v1/qrcodes/files`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
      // The first one twice, in capitals: it is in the archive once.
      body: JSON.stringify({
        qrCodeIds: [...chosen.map(({ id }) => id), chosen[0]?.id.toUpperCase()],
        format,
      }),
    });
    expect([response.status, response.headers.get('Content-Type')]).to.deep.equal([200, 'application/zip']);
    return readZip(Buffer.from(await response.arrayBuffer()));
  }

  /** The files of the codes, in their order. */
  const pictures = (files: Map<string, Buffer>) => [...files].filter(([name]) => name !== 'manifest.csv');

  it('has a file of each code, named after it, that no file system misreads', async () => {
    const files = await download('svg');
    const tokens = codes.map(({ shareToken }) => shareToken);
    expect(pictures(files).map(([name]) => name)).to.deep.equal([
      `Table 1-${tokens[0]}.svg`,
      `Ärzte _ _Bar__-${tokens[1]}.svg`,
      `_.._etc_passwd-${tokens[2]}.svg`,
      `_HYPERLINK(_x_)-${tokens[3]}.svg`,
      `exe.gnp-${tokens[4]}.svg`,
      `菜单-${tokens[5]}.svg`,
      `_49 30-${tokens[6]}.svg`,
      `_5 %-${tokens[7]}.svg`,
      `_home-${tokens[8]}.svg`,
      `_1+1-${tokens[9]}.svg`,
    ]);
    for (const [index, [, svg]] of pictures(files).entries()) {
      const shared = await fetch(`${service.url}/r/${tokens[index]}.svg`);
      expect(svg.toString()).to.equal(await shared.text());
    }
  });

  it('lists the files in manifest.csv, without formulas', async () => {
    const files = await download('png');
    const manifest = files.get('manifest.csv')?.toString() ?? '';
    const [head, ...lines] = manifest.trimEnd().split('\r\n');
    expect(head).to.equal('\uFEFFfile,name,type,category,shareUrl,id');
    expect(lines).to.have.length(codes.length);
    const [{ id, shareToken, shareUrl }] = codes as [(typeof codes)[0]];
    expect(lines[0]).to.equal(`Table 1-${shareToken}.png,Table 1,url,,${shareUrl},${id}`);
    expect(lines[3]).to.include(`"'=HYPERLINK(""x"")"`);
    const listed = lines.map((line) => /^(?:"((?:[^"]|"")*)"|([^,]*)),/.exec(line)?.slice(1).join(''));
    expect(listed).to.deep.equal(pictures(files).map(([name]) => name));
  });

  it('has PNGs and PDFs that scan, PDFs 50 mm wide', async function () {
    if (!canRenderPdf()) return this.skip();
    for (const [index, [, png]] of pictures(await download('png')).entries())
      expect((await scan(png))?.toString()).to.equal(codes[index]?.shareUrl);
    for (const [index, [, pdf]] of pictures(await download('pdf'))
      .slice(0, 2)
      .entries()) {
      expect(await pageSizesMm(pdf)).to.deep.equal([[50, 50]]);
      const [page] = await renderPdf(pdf);
      const [found] = await findCodes(page as NonNullable<typeof page>);
      expect(found?.text).to.equal(codes[index]?.shareUrl);
      expect(found?.xMm).to.be.closeTo(25, 0.2);
    }
  });

  it('makes the PDF of a framed code higher, not narrower', async function () {
    if (!canRenderPdf()) return this.skip();
    const { body: framed } = await api('/qrcodes', {
      method: 'POST',
      body: { name: 'Framed', content: 'https://example.com/' },
    });
    const design = { frame: 'band', frameText: 'Scan me' };
    await api(`/qrcodes/${framed.id}/design`, { method: 'PUT', body: design });
    const [[, pdf]] = pictures(await download('pdf', [framed])) as [[string, Buffer]];
    // 29 modules, a margin of 4 and a border of 1 on each side; below them, a band of a fifth.
    const [width, height] = [29 + 8 + 2, 29 + 8 + 1 + 37 / 5];
    expect(await pageSizesMm(pdf)).to.deep.equal([[50, Math.round((500 * height) / width) / 10]]);
    const [page] = await renderPdf(pdf);
    const [found] = await findCodes(page as NonNullable<typeof page>);
    expect(found?.text).to.equal(framed.shareUrl);
    expect(found?.widthMm).to.be.closeTo((50 * 29) / width, 0.3);
  });

  it('rejects too many codes and what is no id, and names the field', async () => {
    const body = { qrCodeIds: [codes[0]?.id], format: 'gif' };
    expectInvalid(await api('/qrcodes/files', { method: 'POST', body }), ['format']);
    const ids = ['00000000-0000-4000-8000-000000000000', codes[0]?.id, 'X'];
    expectInvalid(await api('/qrcodes/files', { method: 'POST', body: { qrCodeIds: ids, format: 'svg' } }), [
      'qrCodeIds[2]',
    ]);
    const tooMany = { qrCodeIds: Array(1_001).fill(codes[0]?.id), format: 'svg' };
    expectInvalid(await api('/qrcodes/files', { method: 'POST', body: tooMany }), ['qrCodeIds']);
    expectInvalid(
      await api('/qrcodes/files', { method: 'POST', body: { qrCodeIds: 'all', format: 'svg' } }),
      ['qrCodeIds'],
    );
  });

  it('treats codes of others like missing ones', async () => {
    const other = apiClient(service.url, await service.makeKey());
    const body = { qrCodeIds: codes.map(({ id }) => id), format: 'svg' };
    const answer = await other('/qrcodes/files', { method: 'POST', body });
    expectError(answer, 404, 'not_found');
    expect(answer.body.message).to.equal(
      'There are no such QR codes: qrCodeIds[0], qrCodeIds[1], qrCodeIds[2], qrCodeIds[3], qrCodeIds[4] and 5 more.',
    );
  });
});
