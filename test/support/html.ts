/** An element of a page that our own views have rendered: every element is closed, every value is quoted. */
export interface Element {
  tag: string;
  attributes: Record<string, string>;
  children: (Element | string)[];
}

const empty = new Set('area base br col embed hr img input link meta source track wbr'.split(' '));
/** Their content has no elements. */
const rawContent = new Set(['script', 'style', 'textarea', 'title']);
const tokens =
  /<!--[^]*?-->|<!doctype[^>]*>|<\/([\w-]+)>|<([\w-]+)((?:\s+[^\s"=>/]+(?:="[^"]*")?)*)\s*(\/?)>|[^<]+/gi;

export function parseHtml(html: string): Element {
  const root: Element = { tag: '', attributes: {}, children: [] };
  const open = [root];
  tokens.lastIndex = 0;
  for (let token = tokens.exec(html); token; token = tokens.exec(html)) {
    const [text, closing, tag, attributes = '', isClosed] = token;
    const parent = open.at(-1) ?? root;
    if (closing) {
      if (parent.tag !== closing) throw new Error(`</${closing}> closes <${parent.tag}>`);
      open.pop();
    } else if (tag) {
      const element: Element = { tag, attributes: parseAttributes(attributes), children: [] };
      parent.children.push(element);
      if (isClosed || empty.has(tag)) continue;
      if (rawContent.has(tag)) {
        const end = html.indexOf(`</${tag}>`, tokens.lastIndex);
        element.children.push(decode(html.slice(tokens.lastIndex, end)));
        tokens.lastIndex = end + tag.length + 3;
      } else open.push(element);
    } else if (!text.startsWith('<!')) parent.children.push(decode(text));
  }
  return root;
}

function parseAttributes(text: string): Record<string, string> {
  return Object.fromEntries(
    [...text.matchAll(/([^\s"=]+)(?:="([^"]*)")?/g)].map(([, name = '', value = '']) => [
      name.toLowerCase(),
      decode(value),
    ]),
  );
}

const entities: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', nbsp: '\u00a0' };

function decode(text: string): string {
  return text.replaceAll(/&(?:#(\d+)|(\w+));/g, (whole, code?: string, name = '') =>
    code ? String.fromCodePoint(Number(code)) : (entities[name] ?? whole),
  );
}

export function textOf(node: Element | string): string {
  if (typeof node === 'string') return node;
  return node.tag === 'script' || node.tag === 'style' ? '' : node.children.map(textOf).join('');
}

/**
 * In the order of the page. Knows lists, descendants, tags, ids, classes and attributes, and `:not()` and `>` of them:
 * `.facts > div a, tbody th`.
 */
export function selectAll(root: Element, selector: string): Element[] {
  const paths = selector.split(',').map((path) =>
    path
      .trim()
      .replaceAll(/\s*>\s*/g, ' >')
      .split(/\s+/)
      .map((compound) => ({
        isChild: compound.startsWith('>'),
        matches: matcher(compound.replace(/^>/, '')),
      })),
  );
  const found: Element[] = [];
  const ancestors: Element[] = [];
  const visit = (element: Element): void => {
    for (const child of element.children) {
      if (typeof child === 'string') continue;
      if (paths.some((path) => isAt(path, path.length - 1, child, ancestors, ancestors.length)))
        found.push(child);
      ancestors.push(child);
      visit(child);
      ancestors.pop();
    }
  };
  visit(root);
  return found;
}

type Matcher = (element: Element) => boolean;
type Step = { isChild: boolean; matches: Matcher };

/** Whether the steps up to that index lead to the element, whose ancestors are the first `depth` of the list. */
function isAt(path: Step[], index: number, element: Element, ancestors: Element[], depth: number): boolean {
  const step = path[index];
  if (!step?.matches(element)) return false;
  if (index === 0) return true;
  for (let at = depth - 1; at >= (step.isChild ? depth - 1 : 0); at -= 1) {
    const ancestor = ancestors[at];
    if (ancestor && isAt(path, index - 1, ancestor, ancestors, at)) return true;
  }
  return false;
}

function matcher(compound: string): Matcher {
  const parts = compound.matchAll(/:not\(([^)]*)\)|([.#]?)([\w-]+)|\[([\w-]+)(?:="?([^\]"]*)"?)?\]/g);
  const tests = [...parts].map(([, not, kind, name = '', attribute, value]): Matcher => {
    if (not !== undefined) {
      const isExcluded = matcher(not);
      return (element) => !isExcluded(element);
    }
    if (attribute)
      return ({ attributes }) =>
        attribute in attributes && (value === undefined || attributes[attribute] === value);
    if (kind === '.') return ({ attributes }) => (attributes['class'] ?? '').split(' ').includes(name);
    return kind === '#' ? ({ attributes }) => attributes['id'] === name : ({ tag }) => tag === name;
  });
  return (element) => tests.every((test) => test(element));
}

/** Every element of that name in markup of ours, with what it shows. None may contain another of its name. */
export function elementsIn(
  markup: string,
  name: string,
): { attributes: Record<string, string>; text: string }[] {
  return [...markup.matchAll(new RegExp(`<${name}\\b([^>]*)>(?:([^]*?)</${name}>)?`, 'g'))].map(
    ([, attributes = '', content = '']) => ({
      attributes: parseAttributes(attributes),
      text: textIn(content),
    }),
  );
}

/** The text between the tags. */
export function textIn(markup: string): string {
  return decode(markup.replaceAll(/<[^>]*>/g, ' '))
    .replaceAll(/\s+/g, ' ')
    .trim();
}

/** The part of the page between these tags, of which it has one pair. */
export function partOf(markup: string, name: 'header' | 'main' | 'footer'): string {
  return new RegExp(`<${name}\\b[^]*</${name}>`).exec(markup)?.[0] ?? '';
}
