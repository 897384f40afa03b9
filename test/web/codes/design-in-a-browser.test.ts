import { expect } from 'chai';
import { claimCode, recordApplied, recordUnchanged } from '../../../src/codes/styles/style-applications.ts';
import { plainSvg, png } from '../../codes/files/logo-files.ts';
import { scan } from '../../codes/image/zxing.ts';
import { expectAccessible } from '../../support/accessible.ts';
import { narrowPhone } from '../../support/browser.ts';
import { eventually } from '../../support/eventually.ts';
import { inABrowser } from '../../support/in-a-browser.ts';
import { sharedService } from '../../support/shared-service.ts';
import { isTooWide } from '../../support/web-visitor.ts';
import { codeOwner } from './code-owner.ts';

const logoFile = () => ({ name: 'logo.png', mimeType: 'image/png', buffer: png() });

/** What the designers and the pages of styles do and look like. What they save is in design-pages.test.ts. */
inABrowser('The designer', sharedService, (site) => {
  const owner = codeOwner(site);
  before(() => owner.enter());

  const choice = (group: string, name: string) =>
    owner.page.getByRole('group', { name: group, exact: true }).getByRole('radio', { name, exact: true });
  const choose = (group: string, name: string) => choice(group, name).check();
  const preview = () => owner.page.getByRole('img', { name: 'Preview of the QR code in this design' });
  const expectPreview = (text: RegExp) =>
    eventually(async () => expect((await scan(await preview().screenshot()))?.toString()).to.match(text));

  it('shows each choice at once, also with a logo that is not saved yet, and marks what cannot be saved', async () => {
    const { page } = owner;
    const code = await owner.store();
    const link = new RegExp(`/r/${code.shareToken}$`);
    await page.goto(`/codes/${code.id}/design`);
    await choose('Modules', 'Dots');
    await choose('Frame', 'Band');
    await page.getByLabel('Frame text').fill('Escanéame');
    await page.waitForFunction(() => {
      const image = document.querySelector<HTMLImageElement>('#design-preview');
      return image?.src.includes('frameText=Escan') && image.src.includes('=dots') && image.complete;
    });
    await expectPreview(link);
    await choose('Frame', 'None');

    await page.getByLabel('Logo', { exact: true }).setInputFiles(logoFile());
    const drawn = async () => {
      const source = String(await preview().getAttribute('src'));
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
    // The red corner of the logo.
    const isRed = async () => {
      const { address, middle } = await drawn();
      expect(middle.slice(0, 3)).to.deep.equal([192, 0, 0]);
      return address;
    };
    const first = await eventually(isRed);
    await choose('Modules', 'Rounded');
    await eventually(async () => expect(await isRed()).to.not.equal(first));
    await expectPreview(link);
    expect(await site.service.db('logos').where({ user_id: code.workspaceId })).to.have.length(0);
    // Without the file, the preview is that of the saved design again.
    await page.getByLabel('Logo', { exact: true }).setInputFiles([]);
    await eventually(async () => expect(await preview().getAttribute('src')).to.include('preview.svg'));

    expect(await page.getByLabel('Eye frame color', { exact: true }).isVisible()).to.equal(false);
    await page.getByLabel('Different colors for the eyes').check();
    await page.getByLabel('Eye frame color', { exact: true }).fill('#ffee00');
    await page.getByLabel('Name of the template').fill('Summer');
    await page.getByRole('button', { name: 'Check and save' }).click();
    await page.locator('#field-eyeFrameColor-error').waitFor();
    expect(await page.locator(':focus').textContent()).to.equal('Not saved. Check the marked fields.');
    await expectAccessible(page);
    await page.getByLabel('Different colors for the eyes').uncheck();
    await choice('Modules', 'Rounded').focus();
    await page.keyboard.press('ArrowRight');
    await page.getByRole('button', { name: 'Check and save' }).press('Enter');
    await page.getByText('Proven: phones read it at').waitFor();
    expect(await choice('Modules', 'Dots').isChecked()).to.equal(true);
  });

  it('undoes and redoes choices, by keyboard too, and shows them where they will be seen', async () => {
    const { page } = owner;
    const code = await owner.store();
    await page.goto(`/codes/${code.id}/design`);
    const [undo, redo] = ['Undo', 'Redo'].map((name) => page.getByRole('button', { name, exact: true }));
    expect(await undo?.isDisabled()).to.equal(true);
    await choose('Modules', 'Dots');
    await page.getByRole('link', { name: 'Leaf', exact: true }).click();
    expect(await choice('Eye frames', 'Leaf').isChecked()).to.equal(true);
    const color = page.getByLabel('Foreground', { exact: true });
    const hex = page.getByLabel('Foreground, hex code');
    await color.fill('#102060');
    await color.dispatchEvent('change');
    expect(await hex.inputValue()).to.equal('#102060');
    await page.getByLabel('Logo', { exact: true }).setInputFiles(logoFile());
    await page.locator('.drop').getByText('logo.png').waitFor();
    await undo?.click();
    await page.locator('.drop').getByText('Choose a file').waitFor();
    await page.keyboard.press('Control+z');
    expect([await color.inputValue(), await hex.inputValue()]).to.deep.equal(['#000000', '#000000']);
    await page.keyboard.press('Control+z');
    expect(await choice('Modules', 'Dots').isChecked()).to.equal(true);
    expect(await choice('Eye frames', 'Square').isChecked()).to.equal(true);
    await eventually(async () => expect(await preview().getAttribute('src')).to.include('moduleShape=dots'));
    for (let steps = 0; steps < 3; steps += 1) await page.keyboard.press('Control+Shift+z');
    expect(await redo?.isDisabled()).to.equal(true);
    await page.locator('.drop').getByText('logo.png').waitFor();
    await eventually(async () => expect(await preview().getAttribute('src')).to.match(/^blob:/));
    for (const scene of ['Paper', 'Screen', 'Tent']) {
      await choose('How it looks on', scene);
      await expectAccessible(page);
    }
    await page.keyboard.press('ArrowRight');
    await expectPreview(new RegExp(`/r/${code.shareToken}$`));

    // A color from elsewhere is typed or pasted, with or without its mark. What is none changes nothing.
    for (const [typed, chosen] of [
      [' 3A0CA3 ', '#3a0ca3'],
      ['#5b1030', '#5b1030'],
      ['024', '#002244'],
      ['blue', '#002244'],
    ] as const) {
      await hex.fill(typed);
      await hex.press('Tab');
      expect([await color.inputValue(), await hex.inputValue()]).to.deep.equal([chosen, chosen]);
    }
    await eventually(async () => expect(await preview().getAttribute('src')).to.match(/^blob:/));
    await undo?.click();
    expect([await color.inputValue(), await hex.inputValue()]).to.deep.equal(['#5b1030', '#5b1030']);
  });

  it('crops a logo by keyboard and by pointer, before it is sent', async () => {
    const { page } = owner;
    const code = await owner.store();
    await page.goto(`/codes/${code.id}/design`);
    const input = page.getByLabel('Logo', { exact: true });
    const crop = page.getByRole('button', { name: 'Crop', exact: true });
    expect(await crop.isVisible()).to.equal(false);
    await input.setInputFiles({ name: 'a.svg', mimeType: 'image/svg+xml', buffer: plainSvg });
    expect(await crop.isVisible(), 'an SVG is sent as it is').to.equal(false);
    await input.setInputFiles({ name: 'wide.jpg', mimeType: 'image/png', buffer: png(400, 200) });
    const chosen = () =>
      input.evaluate(async (element) => {
        const [file] = (element as HTMLInputElement).files ?? [];
        if (!file) return undefined;
        const { width, height } = await createImageBitmap(file);
        return [file.name, file.type, width, height];
      });

    await crop.press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Crop' });
    await expectAccessible(page);
    const part = dialog.getByRole('group', { name: 'The part that is kept' });
    expect(await part.evaluate((element) => element === document.activeElement)).to.equal(true);
    await page.keyboard.press('Shift+ArrowLeft');
    await page.keyboard.press('ArrowRight');
    await dialog.getByText('392 by 200 pixels, 8 from the left, 0 from the top').waitFor();
    await dialog.getByRole('radio', { name: 'Square' }).check();
    await dialog.getByRole('button', { name: 'Use this part' }).press('Enter');
    await eventually(async () => expect(await chosen()).to.deep.equal(['wide.png', 'image/png', 200, 200]));
    expect(await crop.evaluate((element) => element === document.activeElement)).to.equal(true);
    await eventually(async () => expect(await preview().getAttribute('src')).to.match(/^blob:/));

    // The choice can be changed: nothing of the picture is lost.
    await crop.click();
    await dialog.waitFor();
    const box = await dialog.locator('.se').boundingBox();
    if (!box) return expect.fail('there is no corner');
    const [x, y] = [box.x + box.width - 4, box.y + box.height - 4];
    await page.mouse.move(x, y);
    await page.mouse.down();
    await page.mouse.move(x - 60, y - 20, { steps: 3 });
    await page.mouse.up();
    await dialog.getByRole('button', { name: 'Use this part' }).click();
    await eventually(async () => expect((await chosen())?.[2]).to.be.within(20, 180));
    await crop.click();
    await dialog.getByRole('button', { name: 'Whole picture' }).click();
    await eventually(async () => expect(await chosen()).to.deep.equal(['wide.jpg', 'image/png', 400, 200]));
    await crop.click();
    // It opens when the picture is decoded.
    await dialog.waitFor();
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Undo', exact: true }).click();
    await eventually(async () => expect((await chosen())?.[0]).to.equal('wide.png'));
    await page.getByRole('button', { name: 'Check and save' }).click();
    await page.getByText('Proven: phones read it at').waitFor();
  });

  it('shows a style on an example, and how far it is applied', async () => {
    const { page } = owner;
    const api = await owner.api();
    const body = { name: 'Summer', moduleShape: 'dots' };
    const { id } = (await api('/styles', { method: 'POST', body })).body as { id: string };
    for (const name of ['Good', 'Pale']) await owner.store({ name });
    await page.goto(`/codes/styles/${id}/design`);
    await expectPreview(/\/r\/ExampleABC$/);
    await expectAccessible(page);
    await choose('Eye frames', 'Leaf');
    await eventually(async () =>
      expect(await preview().getAttribute('src')).to.include('eyeFrameShape=leaf'),
    );
    await page.getByLabel('Logo', { exact: true }).setInputFiles(logoFile());
    await eventually(async () => expect(await preview().getAttribute('src')).to.match(/^blob:/));
    await page.goto(`/codes/styles/${id}`);
    await expectAccessible(page);
    await page.goto(`/codes/styles/${id}/delete`);
    await expectAccessible(page);

    await page.goto('/codes');
    for (const name of ['Good', 'Pale'])
      await page.getByRole('checkbox', { name: `Select ${name}`, exact: true }).check();
    await page.getByRole('button', { name: 'Apply a template to selected' }).press('Enter');
    await page.getByText('2 codes: Good · Pale').waitFor();
    await page.getByRole('radio', { name: 'Summer' }).check();
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Apply', exact: true }).click();
    await page.getByRole('progressbar', { name: '0 of 2 codes are done' }).waitFor();
    // As a worker does, which proves each code.
    const { db } = site.service;
    const { workspaceId } = await owner.store();
    const [one, two] = [await claimCode(db, workspaceId), await claimCode(db, workspaceId)];
    if (!one || !two) return expect.fail('nothing waits');
    await recordApplied(db, one, new Date());
    await recordUnchanged(db, two, 'foregroundColor must be darker');
    await page.getByText('Done: 1 code has the template, 1 code stays as it was.').waitFor();
    expect(await page.locator('#announcement').textContent()).to.equal('The template is applied');
    await expectAccessible(page);
    await page.getByRole('link', { name: 'All templates' }).click();
    await page.getByRole('heading', { name: 'Applied in the last seven days' }).waitFor();
    await expectAccessible(page);
    await page.getByRole('link', { name: '1 code stays as it was: see why' }).click();
    await page.getByText('foreground color must be darker').waitFor();
    expect(new URL(page.url()).hash).to.equal('#refused');
  });

  it('fits the narrowest phone', async () => {
    const body = { name: 'W'.repeat(100) };
    const style = (await (await owner.api())('/styles', { method: 'POST', body })).body as { id: string };
    const code = await owner.store();
    const { page } = await site.visitAs(owner.email, narrowPhone);
    await page.goto('/codes/brand');
    await page.getByLabel('Logo', { exact: true }).setInputFiles(logoFile());
    await page.getByRole('button', { name: 'Crop', exact: true }).click();
    await page.getByRole('button', { name: 'Use this part' }).waitFor();
    expect(await isTooWide(page), 'the dialog to crop').to.equal(false);
    for (const path of [
      '/codes/brand',
      '/codes/styles',
      '/codes/styles/new',
      `/codes/${code.id}/ready`,
      `/codes/styles/${style.id}/design`,
      `/codes/styles/apply?code=${code.id}`,
      `/codes/${code.id}/design`,
    ]) {
      await page.goto(path);
      expect(await isTooWide(page), path).to.equal(false);
    }
  });
});
