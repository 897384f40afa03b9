// Shows the size of the chosen file and the progress of the upload. Without it, the form is sent as usual.

import { announce, prepareAnnouncements } from '../../ui/announce.browser.js';

const form = document.querySelector('.upload-form');
const upload = form.querySelector('.upload');
const input = upload.querySelector('input[type=file]');
const button = form.querySelector('button[type=submit]');
const maxBytes = Number(upload.dataset.max);
const status = document.createElement('p');
const bar = document.createElement('progress');
/** The server closes the connection 30 s after the request began, which may be before this script starts to count. */
const timeoutMs = 28_000;
const tooSlow = 'The upload took too long. Try again with a faster connection or a smaller file.';
let request;

const megabytes = (bytes) => `${(bytes / 1024 / 1024).toFixed(1)} MB`;

function say(text, isError = false) {
  status.className = isError ? 'error' : 'hint';
  status.textContent = text;
  announce(text);
}

function showChoice() {
  const [file] = input.files;
  if (!file) return say('');
  if (file.size > maxBytes)
    return say(
      `This file has ${megabytes(file.size)}. Choose one with at most ${megabytes(maxBytes)}.`,
      true,
    );
  return say(`${file.name}, ${megabytes(file.size)}`);
}

function finish(text) {
  request = undefined;
  bar.remove();
  button.textContent = button.dataset.name;
  if (text) say(text, true);
}

/** The message of an error response, which is JSON unless a proxy has written it. */
function messageOf({ responseText }) {
  try {
    const { details, message } = JSON.parse(responseText);
    return details ? sentenceOf(details[0]) : message;
  } catch {
    return 'The upload failed. Try again.';
  }
}

/** What is wrong with a field: the rule, after its name, or a sentence. */
function sentenceOf({ field, message }) {
  const label =
    field === input.name ? undefined : document.querySelector(`[for="field-${CSS.escape(field)}"]`);
  const name = label?.textContent.replace(' (optional)', '') ?? 'The file';
  return /^[A-Z]/.test(message) ? `${message}.` : `${name} ${message}.`;
}

function send() {
  request = new XMLHttpRequest();
  request.open('POST', form.action);
  request.setRequestHeader('Accept', 'application/json');
  request.upload.addEventListener('progress', ({ loaded, total }) => {
    bar.max = total;
    bar.value = loaded;
    status.textContent =
      loaded < total ? `${megabytes(loaded)} of ${megabytes(total)}` : 'Checking the file …';
  });
  request.addEventListener('load', () => {
    const target = request.getResponseHeader('Location');
    // The new page, or the one to sign in.
    if ([201, 401].includes(request.status) && target) location.assign(target);
    else finish(messageOf(request));
  });
  const startedAt = performance.now();
  request.addEventListener('error', () => {
    const tookTooLong = performance.now() - startedAt > timeoutMs;
    finish(tookTooLong ? tooSlow : 'The connection was lost. Try again.');
  });
  request.addEventListener('abort', () => finish('Stopped.'));
  upload.append(bar);
  button.textContent = 'Stop';
  say('The file is being uploaded');
  request.send(new FormData(form));
}

prepareAnnouncements();
button.dataset.name = button.textContent;
bar.setAttribute('aria-label', 'Progress of the upload');
upload.append(status);
input.addEventListener('change', showChoice);

form.addEventListener('submit', (event) => {
  if (request) {
    event.preventDefault();
    return request.abort();
  }
  const [file] = input.files;
  // The server says what is missing.
  if (!file) return undefined;
  event.preventDefault();
  return file.size > maxBytes ? showChoice() : send();
});
