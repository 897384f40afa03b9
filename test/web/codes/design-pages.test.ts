import { expect } from 'chai';
import { findUserByEmail } from '../../../src/accounts/users.ts';
import { defaultDesign, type Design, presets } from '../../../src/codes/design/design.ts';
import { purgeRemovedDesigns, purgeReplacedLogos } from '../../../src/codes/design/removed-design.ts';
import { createLogos, proofsWithLogos } from '../../../src/codes/design/stored-logo.ts';
import { insertStyle, maxStyles, removeStyle } from '../../../src/codes/styles/styles.ts';
import { createPeriodicHandler } from '../../../workers/handlers.ts';
import { createStyleHandler } from '../../../workers/style-handler.ts';
import { png, svg } from '../../codes/files/logo-files.ts';
import { provingService, sharedService } from '../../support/shared-service.ts';
import type { TestService } from '../../support/service.ts';
import { assumedProofs } from '../../support/shared-threads.ts';
import { testLog } from '../../support/test-log.ts';
import { type PlainOwner, plainOwner } from './code-owner.ts';
import type { WorkspaceId } from '../../../src/workspaces/workspace.ts';

const logoFile = (content = png()) => new File([new Uint8Array(content)], 'logo.png', { type: 'image/png' });

/** What the designers and the pages of styles contain and save. What they do in a browser is in design-in-a-browser.test.ts. */
describe('The pages of designs', () => {
  let service: TestService;
  let owner: PlainOwner;
  before(async () => {
    service = await sharedService();
  });
  beforeEach(async () => {
    owner = await plainOwner(service);
  });

  const designOf = async (id: string) => (await owner.api(`/qrcodes/${id}/design`)).body;
  const notice = () => owner.browser.text('main .notice');

  async function open(): Promise<string> {
    const { id } = await owner.store({ foregroundColor: '#1a1410' });
    await owner.browser.open(`/codes/${id}`);
    await owner.browser.follow('Design');
    expect(owner.browser.text('h1')).to.equal('Design of Menu');
    return id;
  }

  async function save(fields: Record<string, string | boolean | File> = {}, button = 'Check and save') {
    owner.browser.fillIn(fields);
    await owner.browser.press(button);
  }

  async function addStyle(name: string, design: Partial<Design> = {}, isDefault = false) {
    const user = await findUserByEmail(service.db, owner.email);
    const input = { name, design: { ...defaultDesign, ...design }, isDefault };
    return insertStyle(service.db, (user?.id as WorkspaceId) ?? '', input, new Date());
  }

  describe('with real proofs', () => {
    beforeEach(async () => {
      owner = await plainOwner(await provingService());
    });

    it('save a frame text in other scripts, and say which character cannot be drawn', async () => {
      const id = await open();
      await save({ Frame: 'band', 'Frame text': 'ཀ' });
      expect(owner.browser.text('#field-frameText-error')).to.equal(
        'Frame text must not contain ཀ, which the fonts do not have.',
      );
      await save({ 'Frame text': 'امسح الرمز للقائمة' });
      expect(notice()).to.equal('Design saved.');
      expect(await designOf(id)).to.include({ frameText: 'امسح الرمز للقائمة', readsAtMm: 20 });
    });

    it('start from one of six presets, save it, and say at which size it reads: 20 mm or less', async () => {
      const { browser } = owner;
      const id = await open();
      expect(Object.keys(presets)).to.have.length(6);
      for (const { name, design } of Object.values(presets)) {
        await browser.follow(name);
        await save();
        expect(notice()).to.equal('Design saved.');
        const [, readsAtMm] = /^Proven: phones read it at (\d+) mm wide/.exec(browser.text('#proof')) ?? [];
        expect(Number(readsAtMm), name).to.be.within(1, 20);
        expect(await designOf(id), name).to.include(design);
        expect(browser.value('Modules'), name).to.equal(design.moduleShape);
        expect(browser.value('Gradient'), name).to.equal(design.gradientColor !== null);
      }
      await browser.follow('Remove the design');
      await browser.press('Remove');
      expect(notice()).to.match(/^The design was removed\./);
      expect((await designOf(id)).updatedAt).to.equal(null);
    });
  });

  it('ask before they remove a design, and bring it back with its logo', async () => {
    const { browser } = owner;
    const id = await open();
    await save({ Modules: 'dots', Logo: logoFile() });
    const { logo } = await designOf(id);
    await browser.follow('Remove the design');
    expect(browser.text('main')).to.contain('Remove the design of Menu').and.contain('undo this for 30 days');
    expect(await designOf(id)).to.include({ moduleShape: 'dots', logo });
    await browser.press('Remove');
    expect(await designOf(id)).to.include({ updatedAt: null, logo: null });
    expect(notice()).to.contain('The design was removed. You can undo this for 30 days.');
    await browser.press('Undo');
    expect(notice()).to.equal('The design is back.');
    expect(await designOf(id)).to.include({ moduleShape: 'dots', logo });
    await browser.follow('Remove the design');
    await browser.press('Remove');
    await browser.open(`/codes/${id}/design`);
    expect(browser.texts('button')).to.include('Restore the design');
    const logos = async () =>
      Number((await service.db('logos').where({ id: logo }).count().first())?.['count']);
    expect(await logos()).to.equal(1);
    const month = 30 * 24 * 3_600_000;
    const later = new Date(Date.now() + month + 1_000);
    await purgeRemovedDesigns(service.db, later, () => false);
    await purgeReplacedLogos(service.db, later, () => false);
    expect(await logos()).to.equal(0);
    await browser.press('Restore the design');
    expect(notice()).to.equal('There is no removed design any more.');
  });

  it('keep what was chosen and say what to change where a design cannot be saved', async () => {
    const { browser } = owner;
    const id = await open();
    await save({ Modules: 'bars', 'Different colors for the eyes': true, 'Eye frame color': '#ffee00' });
    expect(notice()).to.equal('Not saved. Check the marked fields.');
    expect(browser.text('.error')).to.match(
      /^Choose a darker eye frame color: phones cannot tell it from the background/,
    );
    expect(browser.value('Modules')).to.equal('bars');
    await save({
      Modules: 'dots',
      'Different colors for the eyes': false,
      Logo: logoFile(svg('<script>alert(1)</script>')),
    });
    expect(notice()).to.equal('Not saved. Check the marked fields. Choose the logo again.');
    expect(browser.texts('.error')).to.deep.equal(['Logo is an SVG with <script>: export it as PNG.']);
    expect(browser.value('Modules')).to.equal('dots');
    expect((await designOf(id)).updatedAt).to.equal(null);
  });

  it('save a logo, say that the error correction was raised, keep the logo, and remove it', async () => {
    const id = await open();
    await save({ Logo: logoFile(), 'Logo size': '24' });
    expect(notice()).to.match(/^Design saved\. The error correction of the code was raised/);
    const saved = await designOf(id);
    expect(saved.logoSize).to.equal(24);
    expect(saved.logo).to.be.a('string');
    // Without choosing it again, it stays.
    await save({ Modules: 'rounded' });
    expect(notice()).to.equal('Design saved.');
    expect(await designOf(id)).to.include({ moduleShape: 'rounded', logo: saved.logo });
    await save({ 'Remove the logo': true });
    expect(owner.browser.count('.kept-logo[hidden]')).to.equal(1);
    expect(await designOf(id)).to.include({ moduleShape: 'rounded', logo: null });
  });

  it('save the colors and the error correction of the code, and refuse what phones could not read', async () => {
    const { browser } = owner;
    const id = await open();
    await save({ Modules: 'dots', Frame: 'card', 'Frame text': 'Scan me' });
    const before = await owner.stored(id);
    await save({ Foreground: '#e0e0e0', 'Eye centers': 'circle' });
    expect(browser.text('#field-foregroundColor-error')).to.match(
      /^Choose a darker foreground: phones cannot tell it from the background \(#ffffff\)\./,
    );
    expect([browser.value('Foreground'), browser.value('Eye centers')]).to.deep.equal(['#e0e0e0', 'circle']);
    expect(await owner.stored(id)).to.deep.equal(before);
    await save({ Foreground: '#003050', Background: '#fff8e0', 'Error correction': 'Q' });
    expect(notice()).to.equal('Design saved.');
    expect(await owner.stored(id)).to.include({
      foregroundColor: '#003050',
      backgroundColor: '#fff8e0',
      errorCorrection: 'Q',
    });
    expect((await designOf(id)).proof).to.match(/^Reads at \d\d mm from 15 cm\.$/);
  });

  it('say how dark a design is, how much damage it survives, and what is wrong with it', async () => {
    const { browser } = owner;
    const id = await open();
    expect(browser.text('#contrast-text')).to.equal('18.2 : 1');
    const repairs = () => Number.parseInt(browser.text('#repairs-text'), 10);
    const plain = repairs();
    expect(plain).to.be.within(5, 20);
    await save({ 'Error correction': 'H' });
    expect(repairs()).to.be.above(plain);
    const drawn = async (query: string) => {
      const path = `/codes/${id}/design/preview.svg?${query}`;
      await browser.open(path);
      return JSON.parse(decodeURIComponent(browser.headers.get('Qrelay-Reading') ?? '')) as Record<
        string,
        unknown
      >;
    };
    expect(await drawn('foregroundColor=%23dddddd')).to.deep.include({
      contrast: 1.3,
      warnings: [
        'Foreground color must be darker than the background, which is #ffffff: the contrast of 1.3:1 should be at least 3:1.',
      ],
    });
    expect((await drawn('')).warnings).to.deep.equal([]);
    // The rest of the design is drawn all the same, without the text.
    const tibetan = await drawn(`frame=band&frameText=${encodeURIComponent('ཀ Menu')}`);
    expect(tibetan['warnings']).to.deep.equal([
      'Frame text must not contain ཀ, which the fonts do not have.',
    ]);
    expect(
      (await drawn(`frame=band&frameText=${encodeURIComponent('Thực đơn قائمة')}`)).warnings,
    ).to.deep.equal([]);
  });

  it('speak of templates, where the API speaks of styles', async () => {
    const { browser } = owner;
    const former = await addStyle('Former');
    for (let index = 1; index < maxStyles; index += 1) await addStyle(`Style ${index}`);
    await browser.open('/codes/styles/new');
    await save({ 'Name of the template': 'One too many' });
    expect(browser.text('main .notice')).to.equal(
      'Not saved. An account can have 50 templates. Delete one first.',
    );
    await browser.open(`/codes/styles/${former.id}`);
    await removeStyle(service.db, former.workspaceId, former.id);
    await browser.open(`/codes/styles/${former.id}`);
    expect([browser.status, browser.text('main p')]).to.deep.equal([404, 'There is no such template.']);
  });

  it('make a template from scratch, with colors that codes get with it', async () => {
    const { browser } = owner;
    await browser.open('/codes/styles');
    await browser.follow('New template');
    await browser.follow('Leaf');
    await save({ Foreground: '#102060' });
    expect(browser.text('#field-styleName-error')).to.equal('Enter a name.');
    expect([browser.value('Eye frames'), browser.value('Foreground')]).to.deep.equal(['leaf', '#102060']);
    await save({ 'Name of the template': 'House', Logo: logoFile() });
    expect(notice()).to.equal('Template saved.');
    expect(browser.texts('.styles h2')).to.deep.equal(['House']);
    const id = await open();
    await browser.follow('House');
    expect(browser.value('Foreground')).to.equal('#102060');
    await save();
    expect(await owner.stored(id)).to.include({ foregroundColor: '#102060' });
    expect(await designOf(id)).to.include({ eyeFrameShape: 'leaf', gradientColor: '#14532d' });
    expect((await designOf(id)).logo).to.be.a('string');

    // Where codes keep their colors, applying it changes none.
    const kept = await owner.store({ name: 'Kept', foregroundColor: '#400000' });
    const given = await owner.store({ name: 'Given', foregroundColor: '#400000' });
    const style = (await owner.api('/styles')).body.data[0] as { id: string };
    const apply = async (code: string) => {
      await owner.api(`/styles/${style.id}/apply`, { method: 'POST', body: { qrCodeIds: [code] } });
      await applyStyles();
      return (await owner.stored(code))['foregroundColor'];
    };
    expect(await apply(given.id)).to.equal('#102060');
    await browser.open(`/codes/styles/${style.id}/design`);
    await save({ 'Set the colors of codes, too': false });
    expect(await apply(kept.id)).to.equal('#400000');
  });

  it('keep the colors and the logo of a brand, and offer them for codes, templates and share pages', async () => {
    const { browser } = owner;
    const brand = async (fields: Record<string, string | boolean | File>) => {
      await browser.open('/codes/styles');
      await browser.follow('Brand');
      await save(fields, 'Save');
    };
    await brand({ Foreground: '#eeeeee' });
    expect(browser.text('.error')).to.match(/^Choose a darker foreground/);
    await brand({
      Foreground: '#5b1030',
      'A color for share pages': true,
      'Color of share pages': '#5b1030',
      Logo: logoFile(),
    });
    expect(notice()).to.match(/^Your brand was saved\./);
    const logos = async () =>
      (
        await service
          .db('logos')
          .whereIn('user_id', service.db('users').where({ email: owner.email }).select('id'))
      ).length;
    expect(await logos()).to.equal(1);

    await browser.open('/codes/new?type=text');
    expect(browser.value('Color')).to.equal('#5b1030');
    await browser.follow('Your brand');
    await save({ Text: 'Hello', Name: 'Branded' }, 'Create QR code');
    const id = owner.opened();
    expect(await owner.stored(id)).to.include({ foregroundColor: '#5b1030' });
    expect((await designOf(id)).logo).to.be.a('string');

    await browser.open('/codes/styles/new');
    await browser.follow('Your brand');
    await save({ 'Name of the template': 'Ours', Modules: 'dots' });
    const [style] = (await owner.api('/styles')).body.data as Record<string, unknown>[];
    expect(style).to.include({ moduleShape: 'dots', logo: (await designOf(id)).logo });

    // The logo stays as long as something has it.
    await brand({ 'Remove the logo': true });
    expect(await logos()).to.equal(1);
    await owner.api(`/qrcodes/${id}?permanently=true`, { method: 'DELETE' });
    await owner.api(`/styles/${String(style?.['id'])}`, { method: 'DELETE' });
    expect(await logos()).to.equal(0);
    await brand({ Logo: logoFile() });
    const plain = await open();
    await browser.follow('Your brand');
    await save();
    expect(notice()).to.match(/^Design saved\./);
    await owner.api(`/qrcodes/${plain}`, { method: 'DELETE' });
    expect(await logos(), 'of the brand').to.equal(1);
  });

  it('save a style with its logo, and use it for another code', async () => {
    const { browser } = owner;
    await browser.open('/codes/styles');
    expect(browser.texts('h2')).to.include('No templates yet');
    const first = await open();
    await save({ Modules: 'dots', Logo: logoFile() }, 'Save as template');
    expect(browser.text('#field-styleName-error')).to.equal('Enter a name.');
    await save({ Logo: logoFile(), 'Name of the template': 'Café Linden' }, 'Save as template');
    expect(notice()).to.equal('Template saved.');
    expect(browser.texts('.styles h2')).to.deep.equal(['Café Linden']);
    // The code itself is as it was.
    expect((await designOf(first)).updatedAt).to.equal(null);
    const second = await open();
    await browser.follow('Café Linden');
    expect(browser.value('Modules')).to.equal('dots');
    await save();
    expect(notice()).to.match(/^Design saved\./);
    const saved = await designOf(second);
    expect(saved.moduleShape).to.equal('dots');
    expect(saved.logo).to.be.a('string');
  });

  it('keep the choices where the style that filled them was deleted meanwhile, and say so', async () => {
    const { browser } = owner;
    const style = await addStyle('Summer', { moduleShape: 'dots' });
    const { id } = await owner.store();
    for (const button of ['Save as template', 'Check and save']) {
      const used = await addStyle(`Used for ${button}`, { moduleShape: 'dots' });
      await browser.open(`/codes/${id}/design?styleId=${used.id}`);
      await removeStyle(service.db, used.workspaceId, used.id);
      await save({ 'Eye centers': 'circle', 'Name of the template': 'Autumn' }, button);
      expect(notice()).to.equal(
        'Not saved. The template that this form was filled with was deleted meanwhile. Your choices are kept, ' +
          'but not its logo: check the logo, then save again.',
      );
      expect([browser.value('Modules'), browser.value('Eye centers')]).to.deep.equal(['dots', 'circle']);
      const [preview = ''] = browser.attributes('#design-preview', 'src');
      const drawn = await fetch(service.url + preview, {
        headers: { Cookie: [...browser.cookies].map((pair) => pair.join('=')).join('; ') },
      });
      expect(drawn.headers.get('Content-Type')).to.match(/^image\/svg\+xml/);
    }
    expect((await designOf(id)).updatedAt).to.equal(null);
    await save();
    expect(notice()).to.match(/^Design saved\./);
    expect(await designOf(id)).to.include({ moduleShape: 'dots', eyeBallShape: 'circle', logo: null });
    await browser.open('/codes/styles');
    expect(browser.texts('.styles h2')).to.deep.equal([style.name]);
  });

  it('show a transparent code on white paper, and leave the paper out of its files', async () => {
    const { browser, api } = owner;
    const { id } = await owner.store();
    const body = { transparentBackground: true, frame: 'card', frameText: 'Menu' } as const;
    await api(`/qrcodes/${id}/design`, { method: 'PUT', body });
    const style = await addStyle('Clear', body);
    const whites = async (path: string) => {
      await browser.open(path);
      expect(browser.status).to.equal(200);
      return browser.html.match(/#fff(?:fff)?\b/g)?.length ?? 0;
    };
    const file = await whites(`/codes/${id}/picture.svg?download`);
    // The text of the frame is white in both.
    expect(await whites(`/codes/${id}/picture.svg`)).to.equal(file + 1);
    expect(await whites(`/codes/styles/${style.id}/picture.svg`)).to.equal(file + 1);
    const preview = 'transparentBackground=on&frame=card&frameText=Menu';
    expect(await whites(`/codes/${id}/design/preview.svg?${preview}`)).to.equal(file + 1);
  });

  it('rename a style, make it the default, and delete it', async () => {
    const { browser } = owner;
    await addStyle('Summer', { moduleShape: 'dots' });
    await addStyle('Winter');
    await browser.open('/codes/styles');
    await browser.press('Make default: Summer');
    expect(notice()).to.equal('New codes get this template now.');
    expect(browser.texts('.badge')).to.deep.equal(['Default']);
    await browser.follow('Summer');
    await save({ Name: 'WINTER' }, 'Save name');
    expect(browser.text('.error')).to.match(/^Another template has this name/);
    await save({ Name: 'Spring' }, 'Save name');
    expect(notice()).to.equal('The template was renamed.');
    await browser.follow('Delete Spring');
    expect(browser.text('main')).to.contain('New codes are plain from then on.');
    await browser.press('Delete');
    expect(notice()).to.match(/^The template was deleted\./);
    expect(browser.texts('.styles h2')).to.deep.equal(['Winter']);
  });

  it('edit a style, which is proven before it is saved, and changes no code', async () => {
    const { browser, api } = owner;
    const style = await addStyle('Summer', { moduleShape: 'dots' });
    const { id } = await owner.store();
    await api(`/qrcodes/${id}/design`, { method: 'PUT', body: { moduleShape: 'dots' } });
    const stored = async () => (await api(`/styles/${style.id}`)).body;
    await browser.open('/codes/styles');
    await browser.follow('Edit Summer');
    expect(browser.text('h1')).to.equal('Edit template Summer');
    expect(browser.text('main')).to.contain(
      'Codes that have this template keep their design until you apply it again.',
    );
    expect(browser.value('Modules')).to.equal('dots');
    await save({
      'Eye frames': 'leaf',
      'Different colors for the eyes': true,
      'Eye frame color': '#ffee00',
    });
    expect(notice()).to.equal('Not saved. Check the marked fields.');
    expect(browser.text('.error')).to.match(
      /^Choose a darker eye frame color: phones cannot tell it from the background/,
    );
    expect(browser.value('Eye frames')).to.equal('leaf');
    expect(await stored()).to.include({ eyeFrameShape: 'square' });
    await save({ 'Different colors for the eyes': false, Logo: logoFile() });
    expect(notice()).to.equal(
      'Template saved. Codes that have it keep their design until you apply it again.',
    );
    const saved = await stored();
    expect(saved).to.include({ name: 'Summer', moduleShape: 'dots', eyeFrameShape: 'leaf' });
    expect(saved.logo).to.be.a('string');
    expect(await designOf(id)).to.include({ eyeFrameShape: 'square', logo: null });
    // Without choosing it again, the logo stays, until it is removed.
    await browser.follow('Edit design');
    await browser.follow('Soft');
    await save();
    expect(await stored()).to.include({ logo: saved.logo, moduleShape: 'rounded' });
    await browser.follow('Edit design');
    await save({ 'Remove the logo': true });
    expect(await stored()).to.include({ logo: null, moduleShape: 'rounded' });
  });

  it('apply a style to codes of the list, and say which codes it does not fit', async () => {
    const { browser } = owner;
    await addStyle('Dots', { moduleShape: 'dots' });
    const good = await owner.store({ name: 'Good' });
    await owner.store({ name: 'Pale', foregroundColor: '#e0e0e0' });
    const other = await owner.store({ name: 'Other' });
    await browser.open('/codes');
    await save({ 'Select Good': true, 'Select Pale': true }, 'Apply a template to selected');
    expect(browser.text('main')).to.contain('2 codes: Good · Pale');
    // The only style there is.
    expect(browser.value('Dots')).to.equal(true);
    await save({}, 'Apply');
    expect(browser.text('h1')).to.equal('Applying Dots');
    expect(browser.text('#application')).to.contain('0 of 2 codes are done');
    // A script reloads it.
    expect(browser.text('#application noscript')).to.contain('Reload this page to see how far it is');
    expect(browser.text('#application > .card > .hint')).to.equal('You can leave this page.');
    await applyStyles();
    await browser.open(browser.path);
    expect(notice()).to.equal('Done: 1 code has the template, 1 code stays as it was.');
    const refused = /^Pale: foreground color of the code must be/;
    expect(browser.text('.refused')).to.match(refused);
    expect((await designOf(good.id)).moduleShape).to.equal('dots');
    expect((await designOf(other.id)).updatedAt).to.equal(null);
    await browser.follow('All templates');
    expect(browser.texts('h2')).to.include('Applied in the last seven days');
    expect(browser.text('.applications li')).to.match(
      /^Dots.+1 code has the template ?1 code stays as it was: see why$/,
    );
    expect(browser.attributes('.applications a', 'href')[1]).to.match(/#refused$/);
    await browser.follow('1 code stays as it was: see why, Dots');
    expect(browser.text('#refused li')).to.match(refused);
  });

  /** As the worker does. */
  async function applyStyles(): Promise<void> {
    const proofs = proofsWithLogos(assumedProofs, createLogos(service.db));
    const closing = new AbortController().signal;
    const site = { baseUrl: 'https://qr.test' };
    const styles = createStyleHandler({ backgroundDb: service.db, proofs, site, closing });
    await createPeriodicHandler({ styles }, { closing, log: testLog() }).handle({}, 'styles');
  }

  it('give a new code the default style, or say what to change first', async () => {
    const { browser } = owner;
    await addStyle('Dots', { moduleShape: 'dots' }, true);
    const create = async (Foreground: string) => {
      await browser.open('/codes/new');
      await save({ Name: 'Menu', 'Web address': 'https://example.com/', Foreground }, 'Create QR code');
    };
    await create('#000000');
    expect(notice()).to.equal('Code created. Download it or copy its link.');
    expect((await designOf(owner.opened())).moduleShape).to.equal('dots');
    await create('#d0d0d0');
    expect(notice()).to.equal('Not saved. Check the marked fields.');
    expect(browser.text('#field-foregroundColor-error')).to.contain('Choose a darker foreground');
    await save({ Foreground: '#202020' }, 'Create QR code');
    expect((await designOf(owner.opened())).moduleShape).to.equal('dots');
  });
});
