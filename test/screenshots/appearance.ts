import { createHash } from 'node:crypto';
import type { DemoSite } from './demo-site.ts';

/**
 * A digest of what decides how a page looks: its elements and text, the style rules that apply to them, and its images. It
 * stays the same when code is moved or renamed, or when the style of another page changes.
 */
export async function appearance(site: DemoSite, path: string): Promise<string> {
  const html = await (await load(site, path)).text();
  const body = visibleBody(html);
  const digest = createHash('sha256').update(body);
  for (const rule of applicableRules(await styles(site, html, path), classesIn(body))) digest.update(rule);
  for (const [, src = ''] of html.matchAll(/<img[^>]* src="([^"]+)"/g))
    digest.update(new Uint8Array(await (await load(site, decode(src))).arrayBuffer()));
  return digest.digest('hex').slice(0, 16);
}

async function load({ url, cookie }: DemoSite, path: string): Promise<Response> {
  const headers = { Cookie: `${cookie.name}=${cookie.value}`, 'Accept-Language': 'en-US' };
  const response = await fetch(new URL(path, url), { headers });
  if (!response.ok) throw new Error(`${response.status} at ${path}`);
  return response;
}

const unseenElements = /<script[^>]*>[^]*?<\/script>|<style[^>]*>[^]*?<\/style>|<input type="hidden"[^>]*>/g;
const unseenAttributes =
  / (?:href|src|id|name|action|method|for|title|alt|datetime|role|aria-label|aria-labelledby|aria-describedby|data-[\w-]+)(?:="[^"]*")?(?=[\s/>])/g;

/** Fractions are rounded and special spaces replaced: other versions of Node calculate and write some of them differently. */
function visibleBody(html: string): string {
  return html
    .slice(html.indexOf('<body'))
    .replace(unseenElements, '')
    .replace(/<[^>]+>/g, (tag) => tag.replace(unseenAttributes, ''))
    .replace(/(<input type="checkbox"[^>]*?) value="[^"]*"/g, '$1')
    .replace(/\d+\.\d+/g, (number) => String(Math.round(Number(number))))
    .replace(/[\u00a0\u202f]/g, ' ');
}

function classesIn(body: string): Set<string> {
  return new Set([...body.matchAll(/ class="([^"]*)"/g)].flatMap(([, names = '']) => names.split(' ')));
}

/** Style sheets that the page links to and those that they import, and styles inside the page. */
async function styles(site: DemoSite, html: string, path: string): Promise<string> {
  const sheets = [...html.matchAll(/<style[^>]*>([^]*?)<\/style>/g)].map(([, css = '']) => css);
  const wanted = [...html.matchAll(/<link rel="stylesheet" href="([^"]+)"/g)].map(
    ([, href = '']) => new URL(decode(href), new URL(path, site.url)).pathname,
  );
  for (let next = wanted.shift(); next !== undefined; next = wanted.shift()) {
    const css = await (await load(site, next)).text();
    const imports = css.matchAll(/@import\s+(?:url\()?["']?([^"')\s;]+)/g);
    wanted.push(...[...imports].map(([, href = '']) => new URL(href, new URL(next, site.url)).pathname));
    sheets.push(css);
  }
  return sheets.join('\n');
}

/** In a form that spaces and comments do not change; without those that name a class that the page does not have. */
function applicableRules(css: string, classes: Set<string>): string[] {
  const rules: string[] = [];
  const around: string[] = [];
  const plain = css.replace(/\/\*[^]*?\*\//g, '').replace(/\s+/g, ' ');
  for (const [, text = '', end] of plain.matchAll(/([^{};]*)([{};])/g)) {
    const part = text.trim();
    if (end === '{') around.push(part);
    else if (part && around.every((each) => applies(each, classes)))
      rules.push(`${around.join(' ')}{${part}}`);
    if (end === '}') around.pop();
  }
  return rules;
}

function applies(selectors: string, classes: Set<string>): boolean {
  if (selectors.startsWith('@')) return true;
  return selectors
    .split(',')
    .some((selector) => [...selector.matchAll(/\.([\w-]+)/g)].every(([, name = '']) => classes.has(name)));
}

function decode(attribute: string): string {
  return attribute.replaceAll('&amp;', '&');
}
