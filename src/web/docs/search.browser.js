// Search as you type. Without this script, the form opens a page with the results.

import { announce, prepareAnnouncements } from '../ui/announce.browser.js';
import { markedParts, rank } from './rank.browser.js';

const maxResults = 8;
const form = document.querySelector('.docs-search');
const input = form.querySelector('input');
const list = document.createElement('div');
list.id = 'docs-found';
list.className = 'docs-found';
list.setAttribute('role', 'listbox');
list.setAttribute('aria-label', 'Results');
list.hidden = true;
form.append(list);

input.setAttribute('role', 'combobox');
input.setAttribute('aria-expanded', 'false');
input.setAttribute('aria-controls', list.id);
input.setAttribute('aria-autocomplete', 'list');
prepareAnnouncements();

let loading;
/** At the first use: most readers do not search. */
function loadIndex() {
  loading ??= fetch(`${form.action}/search.json`, { credentials: 'omit' })
    .then((response) => (response.ok ? response.json() : Promise.reject(new Error('No index'))))
    .catch(() => {
      // The next key tries again; Enter asks the server.
      loading = undefined;
      return [];
    });
  return loading;
}

const options = () => [...list.children];
const active = () => options().find((option) => option.getAttribute('aria-selected') === 'true');

function activate(option) {
  for (const each of options()) each.setAttribute('aria-selected', String(each === option));
  if (option) {
    input.setAttribute('aria-activedescendant', option.id);
    option.scrollIntoView({ block: 'nearest' });
  } else input.removeAttribute('aria-activedescendant');
}

function open(isOpen) {
  list.hidden = !isOpen;
  input.setAttribute('aria-expanded', String(isOpen));
  if (!isOpen) activate(undefined);
}

function part(name, className, text) {
  const element = document.createElement(name);
  element.className = className;
  element.textContent = text;
  return element;
}

function marked(className, text) {
  const element = part('span', className, '');
  markedParts(text, input.value).forEach((each, index) =>
    element.append(index % 2 === 1 ? part('mark', '', each) : each),
  );
  return element;
}

function optionOf({ title, page, href, method, snippet }, index) {
  const option = document.createElement('a');
  option.href = href;
  option.id = `docs-found-${index}`;
  option.tabIndex = -1;
  option.setAttribute('role', 'option');
  option.setAttribute('aria-selected', 'false');
  const heading = part('span', 'docs-found-title', '');
  if (method) heading.append(part('span', `docs-method ${method.toLowerCase()}`, method), ' ');
  heading.append(title);
  option.append(heading, part('span', 'docs-found-page', page), marked('docs-found-text', snippet));
  return option;
}

async function search() {
  const query = input.value;
  if (query.trim() === '') return open(false);
  const entries = await loadIndex();
  // A newer key may have been pressed meanwhile.
  if (query !== input.value) return undefined;
  const results = rank(entries, query, maxResults);
  list.replaceChildren(...results.map(optionOf));
  open(results.length > 0);
  announce(results.length === 1 ? '1 result' : `${results.length} results`);
}

function move(step) {
  const all = options();
  const index = all.indexOf(active());
  activate(all[(index + step + all.length + (index < 0 && step < 0 ? 1 : 0)) % all.length]);
}

input.addEventListener('focus', () => void loadIndex());
input.addEventListener('input', () => void search());
input.addEventListener('keydown', (event) => {
  const { key } = event;
  if (key === 'Escape' && !list.hidden) open(false);
  else if ((key === 'ArrowDown' || key === 'ArrowUp') && !list.hidden) move(key === 'ArrowDown' ? 1 : -1);
  else if (key === 'Enter' && active()) {
    active().click();
    open(false);
  } else return;
  event.preventDefault();
});
form.addEventListener('focusout', ({ relatedTarget }) => {
  if (!form.contains(relatedTarget)) open(false);
});

document.addEventListener('keydown', (event) => {
  const { target, key, ctrlKey, metaKey, altKey } = event;
  if (key !== '/' || ctrlKey || metaKey || altKey) return;
  if (target.closest('input:not([type="radio"]), textarea, select, [contenteditable]')) return;
  event.preventDefault();
  input.focus();
  input.select();
});
