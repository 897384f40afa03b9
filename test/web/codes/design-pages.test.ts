import { expect } from 'chai';
import { presets } from '../../../src/codes/design/design.ts';
import { prove } from '../../../src/codes/proof/prove.ts';
import { scan } from '../../codes/image/zxing.ts';
import { plain } from '../../codes/design/designs.ts';
import { png, svg } from '../../codes/logo/logo-files.ts';
import { eventually } from '../../support/eventually.ts';
import { expectAccessible } from '../../support/accessible.ts';
import { inABrowser } from '../../support/in-a-browser.ts';
import { sharedService } from '../../support/shared-service.ts';
import { codeOwner } from './code-owner.ts';

inABrowser('The designer', sharedService, (site) => {
  const owner = codeOwner(site);
  before(() => owner.enter());

  async function open() {
    const code = await owner.store();
    await owner.page.goto(`/codes/${code.id}`);
    await owner.page.getByRole('link', { name: 'Design', exact: true }).click();
    await owner.page.getByRole('heading', { name: 'Design of' }).waitFor();
    const design = async () => (await (await owner.api())(`/qrcodes/${code.id}/design`)).body;
    return { page: owner.page, code, design };
  }

  it('shows each choice at once, saves what reads, and says at which size', async () => {
    const { page, code, design } = await open();
    const preview = page.getByRole('img', { name: 'Preview of the QR code in this design' });
    const before = await preview.getAttribute('src');
    await page.getByLabel('Modules', { exact: true }).selectOption('dots');
    await page.getByLabel('Frame', { exact: true }).selectOption('band');
    await page.getByLabel('Text', { exact: true }).fill('Escanéame');
    await page.waitForFunction((old) => {
      const image = document.querySelector<HTMLImageElement>('#design-preview');
      return image?.src.includes('frameText=Escan') && image.src !== old && image.complete;
    }, before ?? '');
    await eventually(async () =>
      expect((await scan(await preview.screenshot()))?.toString()).to.match(
        new RegExp(`/r/${code.shareToken}$`),
      ),
    );
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Check and save' }).click();
    await page.getByText('Design saved. Reads at').waitFor();
    expect(await design()).to.include({ moduleShape: 'dots', frame: 'band', frameText: 'Escanéame' });
    expect(await page.getByLabel('Modules', { exact: true }).inputValue()).to.equal('dots');
  });

  it('keeps what was chosen and says what to change where phones could not read it', async () => {
    const { page, design } = await open();
    await page.getByLabel('Modules', { exact: true }).selectOption('bars');
    await page.getByLabel('Different colors for the eyes').check();
    await page.getByLabel('Eye frame color').fill('#ffee00');
    await page.getByRole('button', { name: 'Check and save' }).click();
    await page.getByText('Not saved. Check the marked fields.').waitFor();
    expect(await page.getByText('Eye frame color must be darker than the background').isVisible()).to.equal(
      true,
    );
    expect(await page.getByLabel('Modules', { exact: true }).inputValue()).to.equal('bars');
    await expectAccessible(page);
    expect((await design()).updatedAt).to.equal(null);
  });

  it('starts from a preset, and removes the design again', async () => {
    const { page, design } = await open();
    await page.getByRole('link', { name: 'Leaf' }).click();
    expect(await page.getByLabel('Gradient', { exact: true }).isChecked()).to.equal(true);
    await page.getByRole('button', { name: 'Check and save' }).click();
    await page.getByText('Design saved.').waitFor();
    expect(await design()).to.include({ ...presets['leaf']?.design });
    await page.getByRole('button', { name: 'Remove the design' }).click();
    await page.getByText('The design was removed.').waitFor();
    expect((await design()).updatedAt).to.equal(null);
  });

  it('saves a logo with the design, says that the error correction was raised, and removes it again', async () => {
    const { page, code, design } = await open();
    await page.getByLabel('Logo', { exact: true }).setInputFiles({
      name: 'logo.png',
      mimeType: 'image/png',
      buffer: png(),
    });
    await page.getByLabel('Logo size in percent').fill('24');
    await page.getByRole('button', { name: 'Check and save' }).click();
    await page.getByText('Design saved. The error correction of the code was raised').waitFor();
    const saved = await design();
    expect(saved.logoSize).to.equal(24);
    expect(saved.logo).to.be.a('string');
    const preview = page.getByRole('img', { name: 'Preview of the QR code in this design' });
    await eventually(async () =>
      expect((await scan(await preview.screenshot()))?.toString()).to.match(
        new RegExp(`/r/${code.shareToken}$`),
      ),
    );
    await expectAccessible(page);
    // Without choosing it again, it stays.
    await page.getByLabel('Modules', { exact: true }).selectOption('rounded');
    await page.getByRole('button', { name: 'Check and save' }).click();
    await page.getByText('Design saved. Reads at').waitFor();
    expect(await design()).to.include({ moduleShape: 'rounded', logo: saved.logo });
    await page.getByLabel('Remove the logo').check();
    await page.getByRole('button', { name: 'Check and save' }).click();
    await page.getByLabel('Remove the logo').waitFor({ state: 'detached' });
    expect(await design()).to.include({ moduleShape: 'rounded', logo: null });
  });

  it('shows a chosen logo before it is saved, and each choice with it', async () => {
    const { page, code, design } = await open();
    const preview = page.getByRole('img', { name: 'Preview of the QR code in this design' });
    await page.getByLabel('Logo', { exact: true }).setInputFiles({
      name: 'logo.png',
      mimeType: 'image/png',
      buffer: png(),
    });
    const drawn = async () => {
      const source = String(await preview.getAttribute('src'));
      expect(source).to.match(/^blob:/);
      // Read as the browser does, by its own address.
      return page.evaluate(async (address) => {
        const canvas = document.createElement('canvas');
        const image = document.querySelector<HTMLImageElement>('#design-preview');
        await image?.decode();
        canvas.width = canvas.height = 100;
        const context = canvas.getContext('2d');
        if (image) context?.drawImage(image, 0, 0, 100, 100);
        return { address, middle: [...(context?.getImageData(45, 45, 1, 1).data ?? [])] };
      }, source);
    };
    const first = await eventually(drawn);
    // The red corner of the logo.
    expect(first.middle.slice(0, 3)).to.deep.equal([192, 0, 0]);
    await page.getByLabel('Modules', { exact: true }).selectOption('dots');
    await eventually(async () => expect((await drawn()).address).to.not.equal(first.address));
    expect((await drawn()).middle.slice(0, 3)).to.deep.equal([192, 0, 0]);
    await eventually(async () =>
      expect((await scan(await preview.screenshot()))?.toString()).to.match(
        new RegExp(`/r/${code.shareToken}$`),
      ),
    );
    expect((await design()).updatedAt).to.equal(null);
    expect(await site.service.db('logos').where({ user_id: code.userId })).to.have.length(0);
    // Without the file, the preview is that of the saved design again.
    await page.getByLabel('Logo', { exact: true }).setInputFiles([]);
    await eventually(async () => expect(await preview.getAttribute('src')).to.include('preview.svg'));
  });

  it('names what is wrong with a file that is no logo, and keeps what was chosen', async () => {
    const { page, design } = await open();
    await page.getByLabel('Modules', { exact: true }).selectOption('dots');
    await page.getByLabel('Logo', { exact: true }).setInputFiles({
      name: 'logo.png',
      mimeType: 'image/png',
      buffer: svg('<script>alert(1)</script>'),
    });
    owner.visitor.provoked.push(/^400 .*\/design\/preview$/);
    await page.getByRole('button', { name: 'Check and save' }).click();
    await page.getByText('Not saved. Check the marked fields. Choose the logo again.').waitFor();
    expect(await page.getByText('Logo is an SVG with <script>: export it as PNG.').isVisible()).to.equal(
      true,
    );
    expect(await page.getByLabel('Modules', { exact: true }).inputValue()).to.equal('dots');
    await expectAccessible(page);
    expect((await design()).updatedAt).to.equal(null);
  });

  it('is proven again when the code is edited, which is refused where phones could not read it', async () => {
    const { page, code, design } = await open();
    await page.getByLabel('Modules', { exact: true }).selectOption('dots');
    await page.getByLabel('Frame', { exact: true }).selectOption('card');
    await page.getByLabel('Text', { exact: true }).fill('Scan me');
    await page.getByRole('button', { name: 'Check and save' }).click();
    await page.getByText('Design saved. Reads at').waitFor();
    await page.goto(`/codes/${code.id}/edit`);
    const save = page.getByRole('button', { name: 'Save' });
    await page.getByLabel('Foreground').fill('#e0e0e0');
    await page.getByLabel('Name', { exact: true }).fill('Renamed');
    await save.click();
    await page.getByText('Foreground must be darker than the background').waitFor();
    expect(await page.getByLabel('Name', { exact: true }).inputValue()).to.equal('Renamed');
    await expectAccessible(page);
    const read = async () => (await (await owner.api())(`/qrcodes/${code.id}`)).body;
    expect(await read()).to.include({ name: code.name, foregroundColor: code.foregroundColor });
    await page.getByLabel('Foreground').fill('#003050');
    await save.click();
    await page.getByRole('heading', { name: 'Renamed' }).waitFor();
    expect(await read()).to.include({ name: 'Renamed', foregroundColor: '#003050' });
    expect((await design()).proof).to.match(/^Reads at \d\d mm from 15 cm\.$/);
  });

  it('works on a phone, by keyboard, and without scripts', async () => {
    const code = await owner.store();
    const { page } = await site.visitAs(owner.email, {
      viewport: { width: 390, height: 844 },
      javaScriptEnabled: false,
    });
    await page.goto(`/codes/${code.id}/design`);
    await page.getByLabel('Modules', { exact: true }).focus();
    await page.keyboard.press('ArrowDown');
    await page.getByRole('button', { name: 'Check and save' }).press('Enter');
    await page.getByText('Design saved.').waitFor();
    expect(await page.getByLabel('Modules', { exact: true }).inputValue()).to.equal('rounded');
    const widths = await page.locator('html').boundingBox();
    expect(widths?.width).to.equal(390);
  });
});

describe('The presets of the designer', () => {
  it('are six', () => {
    expect(Object.keys(presets)).to.have.length(6);
  });
  for (const [key, { design }] of Object.entries(presets)) {
    it(`reads at 20 mm or less: ${key}`, async () => {
      expect((await prove({ ...plain, design })).readsAtMm).to.be.at.most(20);
    });
  }
});
