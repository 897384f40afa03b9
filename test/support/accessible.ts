import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { expect } from 'chai';
import type { Page } from 'playwright-core';

const axePath = createRequire(import.meta.url).resolve('axe-core/axe.min.js');
let axe: string | undefined;

/** Those about colours again in the dark, since the rest is the same document. */
const rules = { light: {}, dark: { runOnly: ['cat.color'] } };

/** With the rules that axe-core leaves out by itself, as the contrast of AAA. */
export const strictestRules = {
  runOnly: ['wcag2a', 'wcag2aa', 'wcag2aaa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'],
};

/** By every rule of axe-core, or by those given, in both themes. The page's own policy forbids foreign scripts: axe is put in by the debugger. */
export async function expectAccessible(page: Page, light: object = rules.light): Promise<void> {
  await page.evaluate((axe ??= await readFile(axePath, 'utf8')));
  for (const [colorScheme, chosen] of Object.entries({ ...rules, light })) {
    await page.emulateMedia({ colorScheme: colorScheme as 'light' | 'dark' });
    // Of what passes nothing is gathered: on a long page that takes longer than the rules.
    const options = JSON.stringify({ ...chosen, resultTypes: ['violations'] });
    const violations = await page.evaluate<string[]>(
      `axe.run(${options}).then(({ violations }) => violations.map(({ id, nodes: [first] }) =>
        [id, first.html, first.failureSummary].join(' ')))`,
    );
    expect(violations, `${colorScheme}: ${page.url()}`).to.deep.equal([]);
  }
  await page.emulateMedia({ colorScheme: 'light' });
}
