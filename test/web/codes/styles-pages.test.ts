import { expect } from 'chai';
import { findUserByEmail } from '../../../src/accounts/users.ts';
import { defaultDesign, type Design } from '../../../src/codes/design/design.ts';
import { insertStyle, removeStyle } from '../../../src/codes/styles/styles.ts';
import { scan } from '../../codes/image/zxing.ts';
import { png } from '../../codes/files/logo-files.ts';
import { expectAccessible } from '../../support/accessible.ts';
import { narrowPhone } from '../../support/browser.ts';
import { eventually } from '../../support/eventually.ts';
import { inABrowser } from '../../support/in-a-browser.ts';
import { startService } from '../../support/service.ts';
import { isTooWide } from '../../support/web-visitor.ts';
import { codeOwner } from './code-owner.ts';

const logoFile = () => ({ name: 'logo.png', mimeType: 'image/png', buffer: png() });
let service: ReturnType<typeof startService> | undefined;

inABrowser(
  'Styles',
  () => (service ??= startService({ worker: true })),
  (site) => {
    const owner = codeOwner(site);
    beforeEach(() => owner.enter());
    after(async () => (await service)?.stop());

    async function addStyle(name: string, design: Partial<Design> = {}, isDefault = false) {
      const user = await findUserByEmail(site.service.db, owner.email);
      const input = { name, design: { ...defaultDesign, ...design }, isDefault };
      return insertStyle(site.service.db, user?.id ?? '', input, new Date());
    }
    const designOf = async (id: string) => (await (await owner.api())(`/qrcodes/${id}/design`)).body;

    it('are saved in the designer with their logo, and used for another code', async () => {
      const { page } = owner;
      const [first, second] = [await owner.store(), await owner.store({ name: 'Second' })];
      await page.goto('/codes/styles');
      await page.getByRole('heading', { name: 'No styles yet' }).waitFor();
      await page.goto(`/codes/${first.id}/design`);
      await page.getByLabel('Modules', { exact: true }).selectOption('dots');
      await page.getByLabel('Logo', { exact: true }).setInputFiles(logoFile());
      await page.getByRole('button', { name: 'Save as style' }).click();
      await page.getByText('Enter a name.').waitFor();
      await expectAccessible(page);
      await page.getByLabel('Logo', { exact: true }).setInputFiles(logoFile());
      await page.getByLabel('Name of the style').fill('Café Linden');
      await page.getByRole('button', { name: 'Save as style' }).click();
      await page.getByText('Style saved.').waitFor();
      await page.getByRole('link', { name: 'Café Linden', exact: true }).waitFor();
      await expectAccessible(page);
      // The code itself is as it was.
      expect((await designOf(first.id)).updatedAt).to.equal(null);
      await page.goto(`/codes/${second.id}/design`);
      await page.getByRole('link', { name: 'Café Linden' }).click();
      expect(await page.getByLabel('Modules', { exact: true }).inputValue()).to.equal('dots');
      await page.getByRole('button', { name: 'Check and save' }).click();
      await page.getByText('Design saved.').waitFor();
      const saved = await designOf(second.id);
      expect(saved.moduleShape).to.equal('dots');
      expect(saved.logo).to.be.a('string');
    });

    it('that are deleted while a form is filled with them leave the choices of the form, which says so', async () => {
      const { page } = owner;
      const style = await addStyle('Summer', { moduleShape: 'dots' });
      const code = await owner.store();
      await page.goto(`/codes/${code.id}/design?styleId=${style.id}`);
      await page.getByLabel('Eye centers').selectOption('circle');
      await removeStyle(site.service.db, style.userId, style.id);
      // The last preview stays.
      owner.visitor.provoked.push(/^404 .*\/design/);
      await page.getByLabel('Name of the style').fill('Autumn');
      for (const name of ['Save as style', 'Check and save']) {
        // As in a second tab that was opened before.
        const filled = page.locator('input[name=styleId]');
        await filled.evaluate((input: HTMLInputElement, id) => (input.value = id), style.id);
        await page.getByRole('button', { name }).click();
        await page
          .getByText(
            'Not saved. The style that this form was filled with was deleted meanwhile. Your choices are kept, ' +
              'but not its logo: check the logo, then save again.',
          )
          .waitFor();
        expect(await page.getByLabel('Modules', { exact: true }).inputValue()).to.equal('dots');
        expect(await page.getByLabel('Eye centers').inputValue()).to.equal('circle');
        await expectAccessible(page);
        const preview = page.getByRole('img', { name: 'Preview of the QR code in this design' });
        expect(await preview.evaluate((image: HTMLImageElement) => image.naturalWidth)).to.be.above(0);
      }
      expect((await designOf(code.id)).updatedAt).to.equal(null);
      await page.getByRole('button', { name: 'Check and save' }).click();
      await page.getByText('Design saved.').waitFor();
      expect(await designOf(code.id)).to.include({ moduleShape: 'dots', eyeBallShape: 'circle', logo: null });
    });

    it('are renamed, made the default and deleted', async () => {
      const { page } = owner;
      await addStyle('Summer', { moduleShape: 'dots' });
      await addStyle('Winter');
      await page.goto('/codes');
      await page.goto('/codes/styles');
      await page.getByRole('button', { name: 'Make it the default: Summer' }).click();
      await page.getByText('New codes get this style now.').waitFor();
      expect(await page.locator('.badge').allTextContents()).to.deep.equal(['Default']);
      await page.getByRole('link', { name: 'Summer', exact: true }).click();
      await page.getByLabel('Name', { exact: true }).fill('WINTER');
      await page.getByRole('button', { name: 'Rename' }).click();
      await page.getByText('Name is the name of another style').waitFor();
      await expectAccessible(page);
      await page.getByLabel('Name', { exact: true }).fill('Spring');
      await page.getByRole('button', { name: 'Rename' }).click();
      await page.getByText('The style was renamed.').waitFor();
      await page.getByRole('link', { name: 'Delete' }).click();
      await page.getByText('New codes are plain from then on.').waitFor();
      await expectAccessible(page);
      await page.getByRole('button', { name: 'Delete' }).click();
      await page.getByText('The style was deleted.').waitFor();
      expect(await page.locator('.styles h2').allTextContents()).to.deep.equal(['Winter']);
    });

    it('are edited in the designer on an example, proven before they are saved, and change no code', async () => {
      const { page } = owner;
      const style = await addStyle('Summer', { moduleShape: 'dots' });
      const code = await owner.store();
      const api = await owner.api();
      await api(`/qrcodes/${code.id}/design`, { method: 'PUT', body: { moduleShape: 'dots' } });
      await page.goto('/codes/styles');
      await page.getByRole('link', { name: 'Edit Summer' }).click();
      await page.getByRole('heading', { name: 'Edit style Summer' }).waitFor();
      await page
        .getByText('Codes that have this style keep their design until you apply it again.')
        .waitFor();
      expect(await page.getByLabel('Modules', { exact: true }).inputValue()).to.equal('dots');
      const preview = page.getByRole('img', { name: 'Preview of the QR code in this design' });
      await eventually(async () =>
        expect((await scan(await preview.screenshot()))?.toString()).to.match(/\/r\/ExampleABC$/),
      );
      await expectAccessible(page);
      await page.getByLabel('Eye frames').selectOption('leaf');
      await eventually(async () =>
        expect(await preview.getAttribute('src')).to.include('eyeFrameShape=leaf'),
      );
      // Phones could not read it: the choices stay.
      await page.getByLabel('Different colors for the eyes').check();
      await page.getByLabel('Eye frame color').fill('#ffee00');
      await page.getByRole('button', { name: 'Check and save' }).click();
      await page.getByText('Not saved. Check the marked fields.').waitFor();
      await page.getByText('Eye frame color must be darker than the background').waitFor();
      expect(await page.getByLabel('Eye frames').inputValue()).to.equal('leaf');
      await expectAccessible(page);
      expect((await api(`/styles/${style.id}`)).body).to.include({ eyeFrameShape: 'square' });
      await page.getByLabel('Different colors for the eyes').uncheck();
      await page.getByLabel('Logo', { exact: true }).setInputFiles(logoFile());
      await eventually(async () => expect(await preview.getAttribute('src')).to.match(/^blob:/));
      await page.getByRole('button', { name: 'Check and save' }).click();
      await page
        .getByText('Style saved. Codes that have it keep their design until you apply it again.')
        .waitFor();
      const { body: saved } = await api(`/styles/${style.id}`);
      expect(saved).to.include({ name: 'Summer', moduleShape: 'dots', eyeFrameShape: 'leaf' });
      expect(saved.logo).to.be.a('string');
      expect(await designOf(code.id)).to.include({ eyeFrameShape: 'square', logo: null });
      // Without choosing it again, the logo stays, until it is removed.
      await page.getByRole('link', { name: 'Edit the design' }).click();
      await page.getByRole('link', { name: 'Soft' }).click();
      await page.getByRole('button', { name: 'Check and save' }).click();
      await page.getByText('Style saved.').waitFor();
      expect((await api(`/styles/${style.id}`)).body).to.include({
        logo: saved.logo,
        moduleShape: 'rounded',
      });
      await page.getByRole('link', { name: 'Edit the design' }).click();
      await page.getByLabel('Remove the logo').check();
      await page.getByRole('button', { name: 'Check and save' }).click();
      await page.getByText('Style saved.').waitFor();
      expect((await api(`/styles/${style.id}`)).body).to.include({ logo: null, moduleShape: 'rounded' });
    });

    it('can be edited without scripts', async () => {
      const style = await addStyle('Summer');
      const { page } = await site.visitAs(owner.email, { javaScriptEnabled: false });
      await page.goto(`/codes/styles/${style.id}/design`);
      await page.getByLabel('Modules', { exact: true }).focus();
      await page.keyboard.press('ArrowDown');
      await page.getByRole('button', { name: 'Check and save' }).press('Enter');
      await page.getByText('Style saved.').waitFor();
      const { body } = await (await owner.api())(`/styles/${style.id}`);
      expect(body).to.include({ moduleShape: 'rounded' });
    });

    it('are applied to codes from the list, with progress, and say which codes they do not fit', async () => {
      const { page } = owner;
      await addStyle('Dots', { moduleShape: 'dots' });
      const good = await owner.store({ name: 'Good' });
      await owner.store({ name: 'Pale', foregroundColor: '#e0e0e0' });
      const other = await owner.store({ name: 'Other' });
      await page.goto('/codes');
      for (const name of ['Good', 'Pale'])
        await page.getByRole('checkbox', { name: `Select ${name}`, exact: true }).check();
      await page.getByRole('button', { name: 'Apply a style to selected' }).press('Enter');
      await page.getByText('2 codes: Good · Pale').waitFor();
      await expectAccessible(page);
      await page.getByRole('radio', { name: 'Dots' }).check();
      await page.getByRole('button', { name: 'Apply', exact: true }).click();
      await page.getByRole('heading', { name: 'Applying Dots' }).waitFor();
      await page.getByText('Done: 1 code has the style, 1 code stays as it was.').waitFor();
      await expectAccessible(page);
      expect(await page.locator('.refused').innerText()).to.match(
        /^Pale: foreground color of the code must be/,
      );
      expect((await designOf(good.id)).moduleShape).to.equal('dots');
      expect((await designOf(other.id)).updatedAt).to.equal(null);
      await page.getByRole('link', { name: 'All styles' }).click();
      await page.getByRole('heading', { name: 'Applied in the last seven days' }).waitFor();
      expect(await page.locator('.applications li').innerText()).to.match(
        /^Dots\s.+\s1 code has the style\s+1 code stays as it was: see why$/s,
      );
      await expectAccessible(page);
      await page.getByRole('link', { name: '1 code stays as it was: see why' }).click();
      await page.getByText(/^Pale: foreground color of the code must be/).waitFor();
      expect(new URL(page.url()).hash).to.equal('#refused');
    });

    it('as the default are given to a code of the form, or the page says why not', async () => {
      const { page } = owner;
      await addStyle('Dots', { moduleShape: 'dots' }, true);
      const create = async (foreground: string) => {
        await page.goto('/codes/new');
        await owner.fillIn({ Name: 'Menu', 'Web address': 'https://example.com/' });
        await page.getByLabel('Foreground').fill(foreground);
        await page.getByRole('button', { name: 'Create QR code' }).click();
      };
      await create('#000000');
      await page.getByText('Code created. Download it or copy its link.').waitFor();
      const id = /codes\/([\w-]{36})/.exec(page.url())?.[1] ?? '';
      expect((await designOf(id)).moduleShape).to.equal('dots');
      await create('#d0d0d0');
      await page.getByText('Code created, without your default style').waitFor();
      expect(await page.getByText('must be darker than the background').isVisible()).to.equal(true);
    });

    it('fit on a narrow phone', async () => {
      const style = await addStyle('W'.repeat(100));
      const code = await owner.store();
      const { page } = await site.visitAs(owner.email, narrowPhone);
      for (const path of [
        '/codes/styles',
        `/codes/styles/${style.id}/design`,
        `/codes/styles/apply?code=${code.id}`,
        `/codes/${code.id}/design`,
      ]) {
        await page.goto(path);
        expect(await isTooWide(page), path).to.equal(false);
      }
    });
  },
);
