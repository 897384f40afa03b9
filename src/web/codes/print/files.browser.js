// Downloads the archive of files and shows how many have arrived. Without this script, the browser downloads it as usual.

import { announce, prepareAnnouncements } from '../../ui/announce.browser.js';
import { createFileCounter } from './zip-progress.browser.js';

const box = document.querySelector('[data-files]');
const form = box?.closest('form');
const button = box?.querySelector('button');
const bar = document.createElement('progress');
const text = document.createElement('p');
let stopped;

function show(done, total) {
  bar.max = total;
  bar.value = done;
  text.textContent = `${done} of ${total} files`;
}

/** The message of an error response, which is JSON unless a proxy has written it. */
async function messageOf(response) {
  const { message } = await response.json().catch(() => ({}));
  return message;
}

async function download(signal) {
  const query = new URLSearchParams(new FormData(form));
  const headers = { Accept: 'application/zip, application/json' };
  const request =
    form.method === 'post'
      ? fetch(form.action, { signal, headers, method: 'POST', body: query })
      : fetch(`${form.action}?${query}`, { signal, headers });
  const response = await request;
  if (!response.ok || !response.headers.get('Content-Type')?.includes('zip'))
    throw Object.assign(new Error('no archive'), { shown: await messageOf(response) });
  const count = createFileCounter();
  const parts = [];
  const reader = response.body.getReader();
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    parts.push(part.value);
    show(count(part.value), Number(box.dataset.files));
  }
  return new Blob(parts, { type: 'application/zip' });
}

function save(archive) {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(archive);
  link.download = 'qr-codes.zip';
  link.click();
  // Later, because some browsers read it after the click.
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}

async function run() {
  stopped = new AbortController();
  const name = button.textContent;
  button.textContent = 'Stop';
  show(0, Number(box.dataset.files));
  box.append(bar, text);
  announce('The files are being made');
  try {
    save(await download(stopped.signal));
    announce('The archive is complete');
    text.textContent = 'The archive is complete.';
  } catch ({ shown = 'The archive could not be made. Try again.' }) {
    const message = stopped.signal.aborted ? 'Stopped.' : shown;
    announce(message);
    text.textContent = message;
  }
  bar.remove();
  button.textContent = name;
  stopped = undefined;
}

if (form) {
  prepareAnnouncements();
  bar.setAttribute('aria-label', 'Files that have arrived');
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    if (stopped) stopped.abort();
    else void run();
  });
}
