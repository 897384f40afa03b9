import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { expect } from 'chai';
import type { CDPSession, Frame, Page } from 'playwright-core';

const axePath = createRequire(import.meta.url).resolve('axe-core/axe.min.js');
let axe: string | undefined;

/** With the rules that axe-core leaves out by itself, as the contrast of AAA. */
export const strictestRules = {
  runOnly: ['wcag2a', 'wcag2aa', 'wcag2aaa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'],
};
const colorRules = ['color-contrast', 'color-contrast-enhanced', 'link-in-text-block'];
/** Without the contrast of AAA, which the light theme does not promise everywhere. */
const usualColorRules = ['color-contrast', 'link-in-text-block'];
const withoutColors = { rules: Object.fromEntries(colorRules.map((id) => [id, { enabled: false }])) };

/**
 * By every rule of axe-core, or by those given, in both themes. The rules about colors take longest: they examine only
 * elements that this process has not examined before, in the same place under the same ancestors.
 */
export async function expectAccessible(page: Page, rules: object = {}): Promise<void> {
  for (const frame of page.frames()) if (frame !== page.mainFrame()) await expectFrameAccessible(frame);
  await addAxe(page);
  await expectNoViolations(page, 'light', 'document', { ...rules, ...withoutColors });
  const known = examined(rules);
  const looks = await page.evaluate<string[]>(looksOnPage);
  const isNew = looks.map((look) => !known.has(look));
  if (!isNew.includes(true)) return;
  if (await page.evaluate<number>(`(${keepNewElements})(${JSON.stringify(isNew)})`)) {
    const lightRules = rules === strictestRules ? colorRules : usualColorRules;
    await expectNoViolations(page, 'light', 'axe.newElements', { runOnly: lightRules });
    await page.emulateMedia({ colorScheme: 'dark' });
    await expectNoViolations(page, 'dark', 'axe.newElements', { runOnly: colorRules });
    await page.emulateMedia({ colorScheme: 'light' });
  }
  for (const look of looks) known.add(look);
}

/** What a frame shows, in a page of its own and of its size: in a frame that allows no scripts, axe-core cannot run. */
async function expectFrameAccessible(frame: Frame): Promise<void> {
  const [width, height] = await frame.evaluate<[number, number]>('[innerWidth, innerHeight]');
  const page = await frame.page().context().newPage();
  await page.setViewportSize({ width, height });
  await page.setContent(await frame.content());
  await expectAccessible(page);
  await page.close();
}

/** By the debugger: the page's own policy forbids foreign scripts. */
async function addAxe(page: Page): Promise<void> {
  axe ??= await readFile(axePath, 'utf8');
  let session = sessions.get(page);
  if (!session) sessions.set(page, (session = page.context().newCDPSession(page)));
  // Not by page.evaluate(), which has the page compile it anew each time.
  await (await session).send('Runtime.evaluate', { expression: `${axe};0` });
}

const sessions = new WeakMap<Page, Promise<CDPSession>>();
const examinedByRules = new Map<object, Set<string>>();

function examined(rules: object): Set<string> {
  const group = rules === strictestRules ? strictestRules : usualColorRules;
  const looks = examinedByRules.get(group) ?? new Set();
  examinedByRules.set(group, looks);
  return looks;
}

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
  axe.looks = looks;
  return [...new Set(looks.values())];
})()`;

/** One of each new look, visible if any is, of those that have a text or a value of their own. */
const keepNewElements = `(isNew) => {
  const newLooks = new Set([...new Set(axe.looks.values())].filter((_, index) => isNew[index]));
  const hasText = (element) =>
    'value' in element || [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim());
  const chosen = new Map();
  for (const [element, look] of axe.looks) {
    if (!newLooks.has(look) || !document.body.contains(element) || !hasText(element)) continue;
    if (!chosen.has(look) || !chosen.get(look).checkVisibility()) chosen.set(look, element);
  }
  axe.newElements = [...chosen.values()];
  return axe.newElements.length;
}`;

async function expectNoViolations(page: Page, theme: string, context: string, rules: object): Promise<void> {
  // Of what passes nothing is gathered: on a long page that takes longer than the rules.
  // Frames are examined on their own, before.
  const options = JSON.stringify({ ...rules, iframes: false, resultTypes: ['violations'] });
  const violations = await page.evaluate<string[]>(
    `axe.run(${context}, ${options}).then(({ violations }) => violations.map(({ id, nodes: [first] }) =>
      [id, first.html, first.failureSummary].join(' ')))`,
  );
  expect(violations, `${theme}: ${page.url()}`).to.deep.equal([]);
}
