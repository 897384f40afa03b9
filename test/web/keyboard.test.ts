import { expect } from 'chai';
import type { CDPSession, Page } from 'playwright-core';
import { iPhone } from '../support/browser.ts';
import { inABrowser } from '../support/in-a-browser.ts';
import { sharedService } from '../support/shared-service.ts';
import { codeOwner } from './codes/code-owner.ts';

/** Visible elements that take the focus. */
const focusable = `[...document.querySelectorAll('a[href], button, input, select, textarea, summary, [tabindex="0"]')]
  // The arrow keys reach the other designs to start from.
  .filter((element) => element.tabIndex >= 0 || !element.closest('.starts'))
  .filter((element) => element.checkVisibility() && !element.disabled && element.type !== 'hidden')
  // The Tab key reaches the chosen one of a group, and the arrow keys the others.
  .filter(({ type, name, checked }) => type !== 'radio' || checked || !document.querySelector('[name="' + name + '"]:checked'))`;

/**
 * Notes each element that has the focus, and what keeps its user from seeing that. It does so when the next key is pressed:
 * by then the browser has scrolled. No key comes from within a frame, which is noted when it gets the focus.
 */
const noteFocus = `(() => {
  const nameOf = (element) =>
    [element.localName, element.name || element.textContent.trim().slice(0, 40) || element.title].join(' ');
  function problemsOf(element) {
    // The middle of what is in the window: browsers scroll no further than to the caret of a long field.
    const [{ left, right, top, bottom }] = element.getClientRects();
    const y = (Math.max(top, 0) + Math.min(bottom, innerHeight)) / 2;
    const above = top < innerHeight && bottom > 0 && document.elementFromPoint((left + right) / 2, y);
    const problems = [];
    if (!above) problems.push('outside of the window');
    else if (!element.contains(above)) problems.push('behind ' + above.localName + '.' + above.className);
    const { outlineStyle, outlineWidth } = getComputedStyle(element);
    // Of a date, the part with the focus is marked; of a frame, its content.
    const isMarkedInside = element.localName === 'iframe' || element.type === 'date';
    if (!isMarkedInside && (outlineStyle === 'none' || outlineWidth === '0px')) problems.push('no outline');
    return problems;
  }
  let missing = new Set();
  let wrong = [];
  function note() {
    const element = document.activeElement;
    if (element === document.body) return;
    missing.delete(element);
    wrong.push(...problemsOf(element).map((problem) => nameOf(element) + ': ' + problem));
  }
  addEventListener('keydown', note, true);
  addEventListener('blur', note);
  globalThis.walk = {
    start() {
      missing = new Set(${focusable});
      wrong = [];
      // A date has several places for the focus, all of them in one element.
      return [...missing].reduce((count, { type }) => count + (type === 'date' ? 5 : 1), 0);
    },
    end() {
      note();
      return { wrong: [...new Set(wrong)], missed: [...missing].map(nameOf) };
    },
  };
})()`;

/** Once around the page, wherever the focus is. */
async function expectToReachEverything(
  page: Page,
  keys: CDPSession,
  key: 'Tab' | 'Shift+Tab',
): Promise<void> {
  const count = await page.evaluate<number>('walk.start()');
  // Two more: out of the page, and in again at its other end.
  const press = {
    type: 'rawKeyDown',
    key: 'Tab',
    code: 'Tab',
    windowsVirtualKeyCode: 9,
    modifiers: key === 'Tab' ? 0 : 8,
  } as const;
  await Promise.all(Array.from({ length: count + 2 }, () => keys.send('Input.dispatchKeyEvent', press)));
  const { width } = page.viewportSize() ?? { width: 0 };
  expect(await page.evaluate('walk.end()'), `${key} at ${page.url()}, ${width} px`).to.deep.equal({
    wrong: [],
    missed: [],
  });
}

inABrowser('By keyboard', sharedService, (site) => {
  const owner = codeOwner(site);
  const wide = { width: 1280, height: 720 };

  let codeId: string;
  let styleId: string;
  let keys: CDPSession;

  before(async () => {
    await owner.enter();
    keys = await owner.page.context().newCDPSession(owner.page);
    codeId = (await owner.store({ type: 'phone', content: '+442079460000' })).id;
    const { body } = await (await owner.api())('/styles', { method: 'POST', body: { name: 'Ours' } });
    styleId = body.id;
  });

  for (const template of [
    '/codes/:code/design?preset=leaf',
    '/codes/:code/print',
    '/codes/:code/edit',
    '/codes/selection?all=on',
    '/codes/styles',
    '/codes/styles/:style/design',
    '/codes/styles/new',
    '/codes/:code/ready',
    '/codes/styles/apply?code=:code',
    '/codes/:code/page-logo',
    '/codes/new?type=social',
    '/webhooks/new',
    '/account/security',
  ])
    it(`everything on ${template} is reached and seen, in both directions, on a wide screen and a phone`, async () => {
      const { page } = owner;
      await page.goto(template.replace(':code', codeId).replace(':style', styleId));
      await page.evaluate(noteFocus);
      for (const size of [wide, iPhone.viewport]) {
        await page.setViewportSize(size);
        for (const key of ['Tab', 'Shift+Tab'] as const) await expectToReachEverything(page, keys, key);
      }
    });
});
