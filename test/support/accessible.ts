import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { expect } from 'chai';
import type { Page } from 'playwright-core';

const axePath = createRequire(import.meta.url).resolve('axe-core/axe.min.js');
let axe: string | undefined;

/** With the rules that axe-core leaves out by itself, as the contrast of AAA. */
export const strictestRules = {
  runOnly: ['wcag2a', 'wcag2aa', 'wcag2aaa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'],
};
const contrastRules = ['color-contrast', 'color-contrast-enhanced', 'link-in-text-block'];
const withoutContrast = { rules: Object.fromEntries(contrastRules.map((id) => [id, { enabled: false }])) };

/**
 * By every rule of axe-core, or by those given, in both themes. The rules about colors take longest: they are left out
 * where this process has examined every element of the page before, in the same place under the same ancestors.
 */
export async function expectAccessible(page: Page, rules: object = {}): Promise<void> {
  // The page's own policy forbids foreign scripts: axe is put in by the debugger.
  await page.evaluate((axe ??= await readFile(axePath, 'utf8')));
  const looks = (await page.evaluate<string[]>(looksOnPage)).map((look) => JSON.stringify([rules, look]));
  const isKnown = looks.every((look) => examined.has(look));
  await expectNoViolations(page, 'light', { ...rules, ...(isKnown && withoutContrast) });
  if (isKnown) return;
  await page.emulateMedia({ colorScheme: 'dark' });
  // The rest is the same document.
  await expectNoViolations(page, 'dark', { runOnly: ['cat.color'] });
  await page.emulateMedia({ colorScheme: 'light' });
  for (const look of looks) examined.add(look);
}

const examined = new Set<string>();

/** Each element as a style sheet tells it apart: its attributes and those of its ancestors, and how wide the window is. */
const looksOnPage = `(() => {
  const told = ({ name, value }) =>
    /^(?:class|type|role|style|aria-(?:current|invalid|pressed|expanded|disabled|sort))$/.test(name) ? name + '=' + value : name;
  const looks = new Map([[document.documentElement, 'html ' + innerWidth]]);
  for (const element of document.querySelectorAll('html *')) {
    const states = ['checked', 'disabled', 'open'].filter((state) => element[state] === true);
    const own = [element.localName, ...states, ...[...element.attributes].map(told)].join(' ');
    looks.set(element, looks.get(element.parentElement) + ' > ' + own);
  }
  return [...new Set(looks.values())];
})()`;

async function expectNoViolations(page: Page, theme: string, rules: object): Promise<void> {
  // Of what passes nothing is gathered: on a long page that takes longer than the rules.
  const options = JSON.stringify({ ...rules, resultTypes: ['violations'] });
  const violations = await page.evaluate<string[]>(
    `axe.run(${options}).then(({ violations }) => violations.map(({ id, nodes: [first] }) =>
      [id, first.html, first.failureSummary].join(' ')))`,
  );
  expect(violations, `${theme}: ${page.url()}`).to.deep.equal([]);
}
