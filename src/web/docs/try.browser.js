// Sends a request of the reference with the reader's own key, which stays in this tab until they sign out.

import { announce, prepareAnnouncements } from '../ui/announce.browser.js';
import { keepTabKey, readTabKey } from '../ui/tab-key.browser.js';

const maxShown = 100_000;
const shownHeaders = [
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
  'Retry-After',
  'ETag',
  'Location',
  'Qrelay-Warning',
  'X-Request-Id',
];
const forms = [...document.querySelectorAll('form[data-try]')];
const keyInputs = () => forms.map((form) => form.querySelector('[data-key]'));

let key = readTabKey();
for (const input of keyInputs()) {
  input.value = key;
  input.addEventListener('change', () => keep(input.value.trim()));
}

// The browser's Back may restore a page from before somebody signed out.
addEventListener('pageshow', ({ persisted }) => {
  if (persisted) keep(readTabKey());
});

function keep(value) {
  key = value;
  for (const input of keyInputs()) input.value = value;
  keepTabKey(value);
}

function element(name, className, ...children) {
  const made = document.createElement(name);
  if (className) made.className = className;
  made.append(...children);
  return made;
}

function addressOf(form) {
  let path = form.dataset.path;
  const query = new URLSearchParams();
  for (const { value, dataset } of form.querySelectorAll('[data-place]')) {
    if (value === '') continue;
    if (dataset.place === 'path') path = path.replace(`{${dataset.name}}`, encodeURIComponent(value.trim()));
    else query.set(dataset.name, value);
  }
  return query.size > 0 ? `${path}?${query}` : path;
}

function requestOf(form) {
  const headers = { Authorization: `Bearer ${key}` };
  const body = form.querySelector('[data-body]')?.value;
  const file = form.querySelector('[data-file]')?.files[0];
  if (body !== undefined) headers['Content-Type'] = 'application/json';
  if (file) headers['Content-Type'] = file.type;
  // Not as the user who is signed in: the key alone says who is asking.
  return { method: form.dataset.try, headers, body: file ?? body, credentials: 'omit', cache: 'no-store' };
}

/** Formatted where it is JSON, and never longer than a browser can show at once. */
async function bodyOf(response) {
  const type = response.headers.get('Content-Type') ?? '';
  if (response.status === 204 || response.status === 304) return element('p', 'quiet', 'No body.');
  if (!type.startsWith('application/json')) {
    const blob = await response.blob();
    const link = element('a', '', `Save the file (${Math.ceil(blob.size / 1_000).toLocaleString('en')} KB)`);
    link.href = URL.createObjectURL(blob);
    link.download = `file.${type.split(/[/;]/)[1]}`;
    return element('p', '', link);
  }
  const text = JSON.stringify(JSON.parse(await response.text()), null, 2);
  const shown = text.length > maxShown ? `${text.slice(0, maxShown)}\n…` : text;
  const pre = element('pre', '', shown);
  // Scrolls, so the keyboard has to reach it.
  pre.tabIndex = 0;
  return pre;
}

async function show(form, response) {
  const badge = element(
    'span',
    response.ok ? 'badge good' : 'badge bad',
    `${response.status} ${response.statusText}`.trim(),
  );
  const names = shownHeaders.filter((name) => response.headers.has(name));
  const facts = element(
    'dl',
    'docs-try-headers',
    ...names.flatMap((name) => [
      element('dt', '', name),
      element('dd', '', element('code', '', response.headers.get(name))),
    ]),
  );
  return [
    element('p', 'docs-try-status', badge, ` ${form.dataset.try} ${addressOf(form)}`),
    await bodyOf(response),
    facts,
  ];
}

async function send(form) {
  const result = form.querySelector('[data-result]');
  const button = form.querySelector('[type="submit"]');
  button.disabled = true;
  result.replaceChildren(element('p', 'quiet', 'Sending …'));
  try {
    const response = await fetch(addressOf(form), requestOf(form));
    result.replaceChildren(...(await show(form, response)));
    announce(`The status is ${response.status}`);
  } catch {
    const text =
      'The request did not get through. Check the key for characters that do not belong there, and your connection.';
    result.replaceChildren(element('p', 'error', text));
    announce(text);
  }
  button.disabled = false;
}

/** Before something in the account of the key changes. */
function ask(form) {
  const dialog = element('dialog', 'docs-ask');
  const yes = element(
    'button',
    form.dataset.try === 'DELETE' ? 'danger' : '',
    `Send ${form.dataset.try} request`,
  );
  const no = element('button', 'quiet', 'Cancel');
  const title = element('h2', '', 'Send it for real?');
  title.id = 'docs-ask-title';
  dialog.setAttribute('aria-labelledby', title.id);
  dialog.append(
    title,
    element('p', '', 'This is not a sandbox: the request is for the account of your key, and can change it.'),
    element('code', 'docs-ask-address', `${form.dataset.try} ${addressOf(form)}`),
    element('div', 'row', yes, no),
  );
  for (const button of [yes, no]) button.type = 'button';
  yes.addEventListener('click', () => {
    dialog.close();
    void send(form);
  });
  no.addEventListener('click', () => dialog.close());
  dialog.addEventListener('close', () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
}

if (forms.length > 0) prepareAnnouncements();
for (const form of forms)
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    keep(form.querySelector('[data-key]').value.trim());
    if (form.dataset.asks === undefined) void send(form);
    else ask(form);
  });
