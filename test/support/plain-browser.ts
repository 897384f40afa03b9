import { cookieClient, sessionOf } from './form-client.ts';
import { type Element, parseHtml, selectAll, textOf } from './html.ts';
import type { TestService } from './service.ts';

type Entered = string | boolean | File;

/**
 * A browser without scripts and without a screen: follows links and redirects, fills in forms by their labels, and sends
 * them as they are on the page. For everything that can be seen in the HTML.
 */
export interface PlainBrowser {
  /** The response to the last request. */
  status: number;
  headers: Headers;
  /** The path of the page, with its query and anchor. */
  path: string;
  html: string;
  /** Of a response that is no page, too. */
  bytes: Buffer;
  cookies: Map<string, string>;
  open(path: string): Promise<void>;
  /** Of the first element, by default of the whole page, with each white space as one blank. */
  text(selector?: string): string;
  /** Of each element. */
  texts(selector: string): string[];
  attributes(selector: string, name: string): (string | undefined)[];
  count(selector: string): number;
  /** What the field with this label has. */
  value(label: string): string | boolean;
  /** By label: the text of a field, the value of an option or of a radio button of a group, whether a box is checked, or a file. */
  fillIn(fields: Record<string, Entered>): void;
  follow(link: string): Promise<void>;
  /** Submits the form of a button. */
  press(button: string): Promise<void>;
}

export async function plainBrowser(
  service: Pick<TestService, 'url' | 'db'>,
  email?: string,
): Promise<PlainBrowser> {
  const { cookies, send } = cookieClient(service.url);
  if (email) cookies.set('__Host-qrelay-session', await sessionOf(service, email));
  let document = parseHtml('');
  let entered = new Map<Element, Entered>();

  async function request(path: string, init: RequestInit = {}): Promise<void> {
    let [target, answer] = [path, await send(path, init)];
    for (let hops = 0; answer.status === 303 || answer.status === 302; hops += 1) {
      if (hops === 5) throw new Error(`${path} leads from page to page`);
      const { pathname, search, hash } = new URL(answer.headers.get('Location') ?? '', service.url + target);
      target = pathname + search + hash;
      answer = await send(target);
    }
    const { status, headers } = answer;
    const bytes = Buffer.from(await answer.arrayBuffer());
    Object.assign(browser, { status, headers, path: target, bytes, html: bytes.toString() });
    document = parseHtml(headers.get('Content-Type')?.startsWith('text/html') ? browser.html : '');
    entered = new Map();
  }

  const all = (selector: string) => selectAll(document, selector);
  const named = (selector: string, name: string): Element => {
    const found = all(selector).find((each) => nameOf(each) === name);
    if (!found) throw new Error(`There is no ${selector} "${name}" on ${browser.path}`);
    return found;
  };
  const field = (label: string): Element => {
    const written = all('label').find((each) => oneLine(textOf(each)) === label);
    const id = written?.attributes['for'];
    const [control] = written
      ? id
        ? all(`#${id}`)
        : selectAll(written, 'input')
      : all('input').filter((input) => input.attributes['aria-label'] === label);
    if (!control) throw new Error(`There is no field "${label}" on ${browser.path}`);
    return control;
  };

  /** The radio buttons of a group. */
  const groupOf = (legend: string): Element[] => {
    const group = all('fieldset').find((each) =>
      selectAll(each, 'legend').some((title) => oneLine(textOf(title)) === legend),
    );
    return group ? selectAll(group, 'input') : [];
  };

  /** The controls of a form with what they send. */
  function entriesOf(form: Element): [string, string | File][] {
    const { id } = form.attributes;
    const inside = selectAll(form, 'input, select, textarea');
    const outside = id ? all(`[form=${id}]`) : [];
    return [...new Set([...inside, ...outside])].flatMap((control): [string, string | File][] => {
      const { name, type, disabled, value = 'on' } = control.attributes;
      if (!name || disabled !== undefined || control.tag === 'button') return [];
      const current = entered.get(control) ?? initialValue(control);
      if (typeof current === 'boolean') return current ? [[name, value]] : [];
      if (type === 'file') return [[name, current instanceof File ? current : new File([], '')]];
      return [[name, current]];
    });
  }

  async function submit(form: Element, button: Element): Promise<void> {
    const { name, value = '', formaction, formmethod } = button.attributes;
    const entries = [...entriesOf(form), ...(name ? [[name, value] as [string, string]] : [])];
    const action = formaction ?? form.attributes['action'] ?? browser.path;
    const method = (formmethod ?? form.attributes['method'] ?? 'get').toLowerCase();
    const texts = entries.map(([key, entry]) => [
      key,
      typeof entry === 'string' ? withCrLf(entry) : entry.name,
    ]);
    const { pathname, search } = new URL(action, service.url + browser.path);
    if (method === 'get') return request(`${pathname}?${new URLSearchParams(texts)}`);
    if (form.attributes['enctype'] !== 'multipart/form-data')
      return request(pathname + search, { method: 'POST', body: new URLSearchParams(texts) });
    const body = new FormData();
    for (const [key, entry] of entries) body.append(key, typeof entry === 'string' ? withCrLf(entry) : entry);
    return request(pathname + search, { method: 'POST', body });
  }

  const browser: PlainBrowser = {
    status: 0,
    headers: new Headers(),
    path: '',
    html: '',
    bytes: Buffer.alloc(0),
    cookies,
    open: (path) => request(path),
    text: (selector = 'body') => oneLine(all(selector).slice(0, 1).map(textOf).join('')),
    texts: (selector) => all(selector).map((each) => textOf(each).trim()),
    attributes: (selector, name) => all(selector).map((each) => each.attributes[name]),
    count: (selector) => all(selector).length,
    value(label) {
      const group = groupOf(label);
      if (group.length > 0)
        return group.find((each) => entered.get(each) ?? initialValue(each))?.attributes['value'] ?? '';
      const current = entered.get(field(label)) ?? initialValue(field(label));
      return current instanceof File ? current.name : current;
    },
    fillIn(fields) {
      for (const [label, value] of Object.entries(fields)) {
        const group = groupOf(label);
        for (const each of group) entered.set(each, each.attributes['value'] === value);
        if (group.length > 0) continue;
        const control = field(label);
        if (control.attributes['type'] === 'radio')
          for (const other of all(`[name=${control.attributes['name']}]`)) entered.set(other, false);
        entered.set(control, value);
      }
    },
    follow: (link) => request(named('a', link).attributes['href'] ?? ''),
    async press(name) {
      const button = named('button', name);
      const { form: id } = button.attributes;
      const form = all('form').find((each) =>
        id ? each.attributes['id'] === id : selectAll(each, 'button').includes(button),
      );
      if (!form) throw new Error(`The button "${name}" sends no form`);
      await submit(form, button);
    },
  };
  return browser;
}

const oneLine = (text: string) => text.replaceAll(/\s+/g, ' ').trim();
const withCrLf = (text: string) => text.replaceAll(/\r?\n/g, '\r\n');
const nameOf = (element: Element) => element.attributes['aria-label'] ?? oneLine(textOf(element));

function initialValue(control: Element): string | boolean {
  const { type, value = '', checked } = control.attributes;
  if (control.tag === 'textarea') return textOf(control).replace(/^\n/, '');
  if (control.tag === 'select') {
    const options = selectAll(control, 'option');
    const chosen = options.find((option) => option.attributes['selected'] !== undefined) ?? options[0];
    return chosen ? (chosen.attributes['value'] ?? textOf(chosen)) : '';
  }
  return type === 'checkbox' || type === 'radio' ? checked !== undefined : value;
}
