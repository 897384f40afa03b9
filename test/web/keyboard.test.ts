import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { inABrowser } from '../support/in-a-browser.ts';
import { sharedService } from '../support/shared-service.ts';
import { codeOwner } from './codes/code-owner.ts';

const maxPresses = 200;

/** Visible elements that take the focus. */
const focusable = `[...document.querySelectorAll('a[href], button, input, select, textarea, summary, [tabindex="0"]')]
  .filter((element) => element.checkVisibility() && !element.disabled && element.type !== 'hidden')`;

const describeElement = `(element) =>
  [element.localName, element.name || element.textContent.trim().slice(0, 40) || element.title].join(' ')`;

/** The element with the focus, and what keeps its user from seeing that. */
const focused = `(() => {
  const element = document.activeElement;
  if (element === document.body) return undefined;
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
  return { name: (${describeElement})(element), index: (${focusable}).indexOf(element), problems };
})()`;

interface Focused {
  name: string;
  index: number;
  problems: string[];
}

/** Presses the key until the focus has gone around the page. */
async function walk(page: Page, key: 'Tab' | 'Shift+Tab'): Promise<Map<number, Focused>> {
  const seen = new Map<number, Focused>();
  for (let press = 0; press < maxPresses; press += 1) {
    await page.keyboard.press(key);
    const now = await page.evaluate<Focused | undefined>(focused);
    if (!now) break;
    // A date has several places for the focus, all of them in one element.
    seen.set(now.index, seen.get(now.index) ?? now);
  }
  return seen;
}

inABrowser('By keyboard', sharedService, (site) => {
  const owner = codeOwner(site);
  const phone = { viewport: { width: 390, height: 664 } };

  for (const [device, options] of Object.entries({ 'wide screen': {}, phone }))
    it(`everything on the new pages is reached and seen, in both directions, on a ${device}`, async () => {
      await owner.enter(options);
      const { page } = owner;
      const { id } = await owner.store({ type: 'phone', content: '+442079460000' });
      const { body: style } = await (await owner.api())('/styles', {
        method: 'POST',
        body: { name: 'Ours' },
      });
      const paths = [
        `/codes/${id}/design?preset=leaf`,
        `/codes/${id}/print`,
        `/codes/${id}/edit`,
        '/codes/selection?all=on',
        '/codes/styles',
        `/codes/styles/${style.id}/design`,
        `/codes/styles/apply?code=${id}`,
        `/codes/${id}/page-logo`,
        '/codes/new?type=social',
        '/webhooks/new',
        '/account/security',
      ];
      for (const path of paths)
        for (const key of ['Tab', 'Shift+Tab'] as const) {
          await page.goto(path);
          const names = await page.evaluate<string[]>(`${focusable}.map(${describeElement})`);
          const seen = await walk(page, key);
          const wrong = [...seen.values()].filter(({ problems }) => problems.length > 0);
          expect(wrong, `${key} at ${path}`).to.deep.equal([]);
          const missed = names.filter((_, index) => !seen.has(index));
          expect(missed, `not reached with ${key} at ${path}`).to.deep.equal([]);
        }
    });
});
