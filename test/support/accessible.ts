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
/** Contrast of AAA, here also where that of AA is missing. The light theme does not promise it everywhere. */
const enhanced = 'color-contrast-enhanced';
const usual = 'color-contrast';
const links = 'link-in-text-block';

/**
 * By every rule of axe-core, or by those given, in both themes. The rules about colors take longest: they examine only
 * elements that this process has not examined before, in the same place under the same ancestors.
 */
export async function expectAccessible(page: Page, rules: object = {}): Promise<void> {
  for (const frame of page.frames()) if (frame !== page.mainFrame()) await expectFrameAccessible(frame);
  await addAxe(page);
  const isStrict = rules === strictestRules;
  const known = isStrict ? examined.strictly : examined.usually;
  const looks = await page.evaluate<string[]>(looksOnPage);
  const isNew = looks.map((look) => !known.has(look));
  const count = await page.evaluate<number>(`(${keepNewElements})(${JSON.stringify(isNew)})`);
  const leftOut = { [isStrict ? usual : enhanced]: { enabled: false } };
  await expectNoViolations(page, 'light', 'document', { ...rules, rules: leftOut });
  if (count > 0) {
    await page.emulateMedia({ colorScheme: 'dark' });
    try {
      await expectNoViolations(page, 'dark', '[...axe.newElements]', { runOnly: [enhanced, links] });
    } finally {
      await page.emulateMedia({ colorScheme: 'light' });
    }
  }
  for (const look of looks) known.add(look);
}

/** What a frame shows, in a page of its own and of its size: in a frame that allows no scripts, axe-core cannot run. */
async function expectFrameAccessible(frame: Frame): Promise<void> {
  const [width, height] = await frame.evaluate<[number, number]>('[innerWidth, innerHeight]');
  const content = await frame.content();
  const key = `${width} ${height} ${content}`;
  if (examined.frames.has(key)) return;
  const page = await frame.page().context().newPage();
  await page.setViewportSize({ width, height });
  await page.setContent(content);
  await expectAccessible(page);
  await page.close();
  examined.frames.add(key);
}

const examined = {
  usually: new Set<string>(),
  strictly: new Set<string>(),
  frames: new Set<string>(),
};

/** By the debugger: the page's own policy forbids foreign scripts. Once per document. */
async function addAxe(page: Page): Promise<void> {
  if (await page.evaluate<boolean>('document.hasAxe === true')) return;
  axe ??= await readFile(axePath, 'utf8');
  let session = sessions.get(page);
  if (!session) sessions.set(page, (session = page.context().newCDPSession(page)));
  // Not by page.evaluate(), which has the page compile it anew each time.
  const { exceptionDetails } = await (await session).send('Runtime.evaluate', {
    expression: `${axe};{${adapted}} 0`,
  });
  expect(exceptionDetails).to.equal(undefined);
}

/**
 * The rules about colors, among all others on the whole page, examine `axe.newElements`. The one of AAA leaves to the one of
 * AA what fails that, too: without this threshold, one of them is enough.
 */
const adapted = `
document.hasAxe = true;
const { contrastRatio } = axe._audit.checks['color-contrast-enhanced'].options;
for (const size of [contrastRatio.normal, contrastRatio.large]) delete size.minThreshold;
for (const rule of axe._audit.rules) {
  if (!/^color-contrast|^link-in-text-block$/.test(rule.id)) continue;
  const { matches } = rule;
  rule.matches = (node, ...others) => axe.newElements.has(node) && matches(node, ...others);
}`;

const sessions = new WeakMap<Page, Promise<CDPSession>>();

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
  axe.newElements = new Set(chosen.values());
  return axe.newElements.size;
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
